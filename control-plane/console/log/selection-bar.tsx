// What can be done with selected lines.
import Copy from 'lucide-react/icons/copy';
import Link from 'lucide-react/icons/link';
import X from 'lucide-react/icons/x';
import { type Ref, useState } from 'react';
import { Button, IconButton } from '../design/button.js';
import { useToast } from '../design/toast.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { shownText } from './ansi.js';
import type { LogStore } from './log-store.js';
import { formatRange, type LineRange } from './ranges.js';
import styles from './selection-bar.module.css';
import { words } from './words.js';

const MOST_LINES = 10_000;

export function SelectionBar({
  range,
  store,
  button,
  onClear,
}: {
  range: LineRange;
  store: LogStore;
  /** The button that copies. */
  button: Ref<HTMLButtonElement>;
  onClear(): void;
}) {
  const w = useWords(words);
  const format = useFormat();
  const toast = useToast();
  const [pending, setPending] = useState(false);
  const count = range.last - range.first + 1;

  const copy = async (read: () => Promise<string>) => {
    setPending(true);
    try {
      await navigator.clipboard.writeText(await read());
      toast.done(w.copied);
    } catch (error) {
      if (error instanceof DOMException) toast.done(w.copyFailed);
      else toast.failed(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <div className={styles.selection}>
      <span className={styles.selectionName}>{formatRange(range).slice(1)}</span>
      <Button
        ref={button}
        small
        icon={<Copy aria-hidden />}
        pending={pending}
        refused={count > MOST_LINES ? w.tooMany(format.number(MOST_LINES)) : null}
        onClick={() => void copy(() => textOf(store, range))}
      >
        {w.copyLines(count)}
      </Button>
      <Button small icon={<Link aria-hidden />} onClick={() => void copy(async () => location.href)}>
        {w.copyLink}
      </Button>
      <IconButton label={w.clearSelection} icon={<X aria-hidden />} onClick={onClear} />
    </div>
  );
}

/** The lines as they are shown: without numbers, colors and what was overwritten. */
async function textOf(store: LogStore, { first, last }: LineRange): Promise<string> {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const end = Math.min(last, store.state().total ?? last);
  for (let line = first; line <= end; line++) {
    if (store.chunks.get(line) === null) await store.need(line, signal);
    const read = store.chunks.read(line);
    if (!read) throw new Error(`Line ${line} could not be loaded.`);
    lines.push(shownText(read).trimEnd());
  }
  return `${lines.join('\n')}\n`;
}
