// The palette (Ctrl K): a text field, and a list of pages, actions, Macs and builds. Loaded when somebody opens it.
import { Dialog } from '@base-ui/react/dialog';
import Search from 'lucide-react/icons/search';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { useOrganizationHere } from '../data/session.js';
import button from '../design/button.module.css';
import { classNames } from '../design/class-names.js';
import dialog from '../design/dialog.module.css';
import type { NavigationGroup } from '../navigation.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { type Entry, groups as order } from './entry.js';
import { matching } from './match.js';
import styles from './palette.module.css';
import { PaletteList, PaletteStatus } from './palette-list.js';
import { recentEntries, rememberEntry } from './recent.js';
import { useEntries } from './use-entries.js';
import { useFound } from './use-found.js';
import { usePasted } from './use-pasted.js';
import { words } from './words.js';

export interface PaletteProps {
  /** The side bar of the person: the pages to offer. */
  readonly groups: readonly NavigationGroup[];
  readonly open: boolean;
  onOpenChange(open: boolean): void;
  /** Shows the list of shortcuts instead. */
  onShortcuts(): void;
}

export default function Palette({ groups, open, onOpenChange, onShortcuts }: PaletteProps) {
  const w = useWords(words);
  // Here, because what they began goes on when the palette has closed.
  const all = useEntries(groups, onShortcuts);
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.shade} />
        <Dialog.Popup className={classNames(dialog.popup, styles.popup)} aria-label={w.title} initialFocus={field}>
          <Content groups={groups} all={all} field={field} onClose={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ContentProps extends Pick<PaletteProps, 'groups'> {
  readonly all: readonly Entry[];
  readonly field: React.RefObject<HTMLInputElement | null>;
  onClose(): void;
}

/** Most characters that the service searches for. */
const MOST_CHARS = 100;

function Content({ groups, all, field, onClose }: ContentProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const id = useId();
  const isInside = useOrganizationHere() !== null;
  const [text, setText] = useState('');
  const query = text.trim();
  const pasted = usePasted(query, groups);
  const found = useFound(pasted ? '' : query);
  const entries = useShown(query, all, pasted, found.entries);
  const [activeId, setActiveId] = useState<string | null>(null);
  const { opening, error, choose, forget } = useChoosing(onClose);
  const active = Math.max(
    0,
    entries.findIndex((entry) => entry.id === activeId),
  );
  const activate = (index: number) => setActiveId(entries.at(index % entries.length)?.id ?? null);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => activate(active + 1),
    ArrowUp: () => activate(active - 1),
    Home: () => activate(0),
    End: () => activate(-1),
    Enter: () => choose(entries[active]),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { nativeEvent, key, altKey, ctrlKey, metaKey, shiftKey } = event;
    // An input method takes these keys while it composes; Safari says so by the number alone.
    if (nativeEvent.isComposing || nativeEvent.keyCode === 229 || altKey || ctrlKey || metaKey || shiftKey) return;
    const act = keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <>
      <div className={styles.top}>
        <Search aria-hidden className={styles.glass} />
        <input
          ref={field}
          type="text"
          role="combobox"
          inputMode="search"
          enterKeyHint="go"
          className={styles.field}
          aria-label={w.field}
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          placeholder={isInside ? w.hint : w.hintOutside}
          value={text}
          maxLength={MOST_CHARS}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setText(event.target.value);
            setActiveId(null);
            forget();
          }}
          onKeyDown={onKeyDown}
        />
        <Dialog.Close className={button.iconOnly} aria-label={common.close}>
          <X aria-hidden />
        </Dialog.Close>
      </div>
      <PaletteList
        id={id}
        entries={entries}
        active={active}
        onActive={(entry) => setActiveId(entry.id)}
        onChoose={(entry) => choose(entry)}
      />
      <PaletteStatus found={found} error={error} opening={opening} query={query} count={entries.length} />
    </>
  );
}

/** The entries of the list. Without a text: the recent ones, then pages and actions. */
function useShown(query: string, all: readonly Entry[], pasted: Entry | null, found: readonly Entry[]): Entry[] {
  // As it was when the palette was opened.
  const recent = useMemo(recentEntries, []);
  const shown = () => {
    if (query !== '') return [...(pasted ? [pasted] : []), ...matching(all, query), ...found];
    const last = recent.flatMap((id) => all.filter((entry) => entry.id === id));
    const others = all.filter((entry) => entry.group !== 'switch' && !last.includes(entry));
    return [...last.map((entry): Entry => ({ ...entry, group: 'recent' })), ...others];
  };
  const entries = shown();
  return order.flatMap((group) => entries.filter((entry) => entry.group === group));
}

/** Runs an entry once, however often Enter is pressed, and closes the palette when it has run. */
function useChoosing(onClose: () => void) {
  const isRunning = useRef(false);
  const [opening, setOpening] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const choose = async (entry: Entry | undefined) => {
    if (!entry || isRunning.current) return;
    isRunning.current = true;
    setError(null);
    if (entry.recurs) rememberEntry(entry.id);
    try {
      const under = entry.run();
      if (under instanceof Promise) {
        setOpening(true);
        await under;
      }
      onClose();
    } catch (failure) {
      isRunning.current = false;
      setOpening(false);
      setError(failure);
    }
  };
  return { opening, error, choose: (entry: Entry | undefined) => void choose(entry), forget: () => setError(null) };
}
