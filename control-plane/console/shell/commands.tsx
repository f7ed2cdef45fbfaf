// The keyboard shortcuts of every page, and the button of the palette: Ctrl K opens the palette, `/` goes to the search of the
// page, `g` and a second key opens a page, `?` lists all.
import Search from 'lucide-react/icons/search';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { unreachable } from '../data/failure.js';
import { useGo } from '../design/link.js';
import { useToast } from '../design/toast.js';
import { Tooltip } from '../design/tooltip.js';
import { isDialogOpen, isTyping, mod, modName, modText, searchField } from '../keys/platform.js';
import { keyOf, pageShortcuts, shortcutOf } from '../keys/shortcuts.js';
import type { NavigationGroup } from '../navigation.js';
import type { PaletteProps } from '../palette/palette.js';
import { useChoices } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import styles from './commands.module.css';
import { lazyPart } from './lazy-part.js';
import { words } from './words.js';

const ShortcutList = lazyPart(() => import('../keys/shortcut-list.js'), NotLoaded);
const Palette = lazyPart<PaletteProps>(() => import('../palette/palette.js'), NotLoaded);

/** Without a connection: the page stays as it is. */
function NotLoaded({ onOpenChange }: { onOpenChange(open: boolean): void }) {
  const toast = useToast();
  useEffect(() => {
    toast.failed(unreachable());
    onOpenChange(false);
  }, [toast, onOpenChange]);
  return null;
}

/** How long the second key is waited for. */
const SECOND_KEY_MS = 1_200;

type Part = 'palette' | 'list';
const parts = { palette: Palette, list: ShortcutList };

export function Commands({ groups }: { groups: readonly NavigationGroup[] }) {
  const w = useWords(words);
  const [open, setOpen] = useState<Part | null>(null);
  // Once they were asked for, they stay, so that they can close slowly.
  const [asked, setAsked] = useState<readonly Part[]>([]);
  const show = (part: Part) => {
    void parts[part].preload();
    setAsked((before) => [...new Set([...before, part])]);
    setOpen(part);
  };
  const change = (part: Part) => (next: boolean) => (next ? show(part) : setOpen((now) => (now === part ? null : now)));
  useKeys(groups, open, show, () => setOpen(null));
  const pages = useMemo(
    () => groups.flatMap(({ items }) => items.flatMap(({ key, label }) => (key ? [{ key, name: w.nav[label] }] : []))),
    [groups, w],
  );
  return (
    <>
      <Tooltip text={w.palette}>
        <button
          type="button"
          className={styles.button}
          aria-haspopup="dialog"
          aria-keyshortcuts={`${modName}+K`}
          onPointerEnter={() => void Palette.preload()}
          onClick={() => show('palette')}
        >
          <Search aria-hidden />
          <span className="unseen">{w.palette} </span>
          <kbd>{modText} K</kbd>
        </button>
      </Tooltip>
      <Suspense>
        {asked.includes('palette') ? (
          <Palette
            groups={groups}
            open={open === 'palette'}
            onOpenChange={change('palette')}
            onShortcuts={() => show('list')}
          />
        ) : null}
        {asked.includes('list') ? (
          <ShortcutList pages={pages} open={open === 'list'} onOpenChange={change('list')} />
        ) : null}
      </Suspense>
    </>
  );
}

function useKeys(
  groups: readonly NavigationGroup[],
  open: Part | null,
  show: (part: Part) => void,
  close: () => void,
): void {
  const go = useGo();
  const { singleKeys } = useChoices();
  const onKey = useRef<(event: KeyboardEvent) => void>(() => undefined);
  const firstAt = useRef(Number.NEGATIVE_INFINITY);
  onKey.current = (event) => {
    const name = shortcutOf(pageShortcuts, event, { singleKeys, mod });
    if (name === 'palette') {
      if (open === 'palette') close();
      else if (isDialogOpen()) return;
      else show('palette');
      event.preventDefault();
      return;
    }
    // What is typed until the palette is there is no shortcut.
    if (open === 'palette' || isTyping(event.target)) return;
    const since = event.timeStamp - firstAt.current;
    firstAt.current = name === 'goTo' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (name === 'help') show('list');
    else if (name === 'search' && !isDialogOpen() && searchField() !== null) {
      searchField()?.focus();
      searchField()?.select();
    } else if (name === null && since < SECOND_KEY_MS && !(event.ctrlKey || event.metaKey || event.altKey)) {
      const pressed = keyOf(event);
      const page = groups.flatMap(({ items }) => items).find(({ key }) => key === pressed);
      if (!page) return;
      go({ to: page.to as '/' });
    } else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey.current(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
