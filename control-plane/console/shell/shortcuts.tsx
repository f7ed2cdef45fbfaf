// Keyboard shortcuts: `g` and a second key opens a page, `?` lists all.
import { useEffect, useMemo, useState } from 'react';
import { Dialog } from '../design/dialog.js';
import { useGo } from '../design/link.js';
import type { NavigationGroup } from '../navigation.js';
import { useWords } from '../words/use-words.js';
import styles from './shortcuts.module.css';
import { words } from './words.js';

/** How long the second key is waited for. */
const SECOND_KEY_MS = 1_200;

/** True where keys are text. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=combobox], [role=menu] *'));

export function Shortcuts({ groups }: { groups: readonly NavigationGroup[] }) {
  const w = useWords(words);
  const go = useGo();
  const [open, setOpen] = useState(false);
  const pages = useMemo(() => groups.flatMap(({ items }) => items.filter(({ key }) => key)), [groups]);

  useEffect(() => {
    let firstAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') {
        event.preventDefault();
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

  return (
    <Dialog title={w.shortcuts} open={open} onOpenChange={setOpen}>
      <dl className={styles.list}>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{w.shortcutHelp}</dd>
        {pages.map(({ to, key, label }) => (
          <div key={to} className={styles.row}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{w.goTo(w.nav[label])}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
