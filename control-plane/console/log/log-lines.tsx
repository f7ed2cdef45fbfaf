// The lines of a log in their window.

import { type CSSProperties, type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { clock } from '../clock.js';
import { classNames } from '../design/class-names.js';
import { useWords } from '../words/use-words.js';
import type { Line } from './ansi.js';
import styles from './log-lines.module.css';
import { LogRow } from './log-row.js';
import { EXTRA_ROWS } from './log-scroll.js';
import { isIn } from './ranges.js';
import { scrolledHeight } from './scroll-space.js';
import { timeText } from './times.js';
import { type LogView, ROW_PX } from './use-log-view.js';
import { type LogWindow, useLogWindow } from './use-scroll.js';
import { words } from './words.js';

/**
 * How long lines are read in a frame, in ms, and how many runs of text are added. The rest, of programs that print little
 * but control sequences, comes in the next frames.
 */
const READ_MS = 5;
const MOST_RUNS = 1_500;

export interface LogLinesProps {
  readonly view: LogView;
  readonly startedAt: string | null;
  readonly failureLines: readonly [number, number] | null;
  /** CSS height of the window. */
  readonly height: string;
  readonly isFull: boolean;
}

export function LogLines({ view, startedAt, failureLines, height, isFull }: LogLinesProps) {
  const w = useWords(words);
  const { rows, scroll, selection, total, digits } = view;
  const shown = useLogWindow(scroll);
  const inFrame = useRef<ReadonlySet<Line>>(new Set());
  const { elements, lines, isComplete } = rowsOf(view, shown, startedAt, failureLines, inFrame.current);
  useLayoutEffect(() => {
    inFrame.current = lines;
  });
  useNextFrame(!isComplete);
  const { wrap } = view.preferences;
  const tall = scrolledHeight({ rows: rows.count, rowHeight: ROW_PX });
  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    const line = Number(target.closest<HTMLElement>('[data-line]')?.dataset.line);
    if (target.closest(`.${styles.fold}`)) void view.toggleFold(line);
    if (!target.closest(`.${styles.number}`) || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    selection.select(line, event.shiftKey);
    view.focus();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the viewer around it has the keys
    // biome-ignore lint/a11y/useSemanticElements: no form
    <div
      ref={shown.scroller}
      className={styles.scroller}
      // Short logs take the room of their lines; wrapped ones are taller than it.
      style={isFull ? { height: '100%' } : wrap ? { height } : { maxHeight: height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus
      tabIndex={0}
      role="group"
      aria-label={w.log}
      onClick={onClick}
    >
      <div style={{ height: tall }}>
        <div className={styles.window} style={{ height: Math.min(shown.height, tall) || undefined }}>
          {/* biome-ignore lint/a11y/useSemanticElements: rows that move are no table to a browser */}
          <div
            ref={shown.layer}
            className={classNames(styles.layer, wrap && styles.wrap)}
            role="table"
            aria-label={w.log}
            aria-rowcount={total}
            style={{ '--digits': digits } as CSSProperties}
          >
            {elements}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Renders again in the next frame. */
function useNextFrame(isNeeded: boolean): void {
  const [frame, setFrame] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more after each frame
  useEffect(() => {
    if (!isNeeded) return;
    const next = requestAnimationFrame(() => setFrame((before) => before + 1));
    return () => cancelAnimationFrame(next);
  }, [isNeeded, frame]);
}

function rowsOf(
  { rows, store, selection, search, folds, preferences }: LogView,
  { rendered, height }: LogWindow,
  startedAt: string | null,
  failureLines: readonly [number, number] | null,
  before: ReadonlySet<Line>,
) {
  const { first, last } = rendered;
  const failure = failureLines && { first: failureLines[0], last: failureLines[1] };
  // Elements of rows that leave the window are used for those that come into it.
  const keys = Math.max(Math.ceil(height / ROW_PX) + 2 * EXTRA_ROWS + 2, last - first + 1);
  const begun = clock.monotonic();
  const lines = new Set<Line>();
  let added = 0;
  let isComplete = true;
  const elements = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const n = rows.lineAt(first + i);
    const line = store.chunks.get(n);
    const isLate = clock.monotonic() - begun > READ_MS || added > MOST_RUNS;
    const known = store.chunks.read(n, !isLate);
    const read = known && (!isLate || before.has(known)) ? known : null;
    if (read) lines.add(read);
    if (read && !before.has(read)) added += read.runs.length;
    if (line && !read) isComplete = false;
    return (
      <LogRow
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        key={(first + i) % keys}
        n={n}
        line={line}
        read={read}
        time={preferences.times === 'off' ? '' : timeText(preferences.times, line?.at, startedAt) || '–'}
        wanted={search.text}
        isSelected={isIn(selection.range, n)}
        isCurrentMatch={search.current?.line === n}
        isFailure={isIn(failure, n)}
        folded={read && folds.stateOf(n)}
        hidden={rows.hiddenBelow(n)}
      />
    );
  });
  return { elements, lines, isComplete };
}
