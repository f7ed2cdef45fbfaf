// Keyboard shortcuts: `g` and a second key opens a page, `?` lists all.
import { Suspense, useEffect, useMemo, useState } from 'react';
import { unreachable } from '../data/failure.js';
import { useGo } from '../design/link.js';
import { useToast } from '../design/toast.js';
import type { NavigationGroup } from '../navigation.js';
import { lazyPart } from './lazy-part.js';
import type { ShortcutListProps } from './shortcut-list.js';

const ShortcutList = lazyPart(() => import('./shortcut-list.js'), NoList);

/** Without a connection: the page stays as it is. */
function NoList({ onOpenChange }: ShortcutListProps) {
  const toast = useToast();
  useEffect(() => {
    toast.failed(unreachable());
    onOpenChange(false);
  }, [toast, onOpenChange]);
  return null;
}

/** How long the second key is waited for. */
const SECOND_KEY_MS = 1_200;

/** True where keys are text. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=combobox], [role=menu] *'));

export function Shortcuts({ groups }: { groups: readonly NavigationGroup[] }) {
  const go = useGo();
  const [open, setOpen] = useState(false);
  // Once it was asked for, it stays, so that it can close slowly.
  const [asked, setAsked] = useState(false);
  const pages = useMemo(() => groups.flatMap(({ items }) => items.filter(({ key }) => key)), [groups]);

  useEffect(() => {
    let firstAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') {
        event.preventDefault();
        void ShortcutList.preload();
        setAsked(true);
        setOpen(true);
        return;
      }
      if (event.key === 'g') {
        firstAt = event.timeStamp;
        return;
      }
      const page = pages.find(({ key }) => key === event.key);
      if (page && event.timeStamp - firstAt < SECOND_KEY_MS) {
        event.preventDefault();
        go({ to: page.to as '/' });
      }
      firstAt = Number.NEGATIVE_INFINITY;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [pages, go]);

  return asked ? (
    <Suspense>
      <ShortcutList pages={pages} open={open} onOpenChange={setOpen} />
    </Suspense>
  ) : null;
}
