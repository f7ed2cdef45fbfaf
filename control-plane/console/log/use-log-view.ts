// The state of the log viewer, and what can be done with it.
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Build, LogLine } from '../../../client/types.js';
import { connection } from '../data/connection.js';
import { useToast } from '../design/toast.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { useLogSearch } from './log-search.js';
import { LogStore } from './log-store.js';
import { useLogPreferences } from './preferences.js';
import type { LogSource } from './source.js';
import { GROUP_REACH, useFolds } from './use-folds.js';
import { useLogScroll } from './use-scroll.js';
import { useSelection } from './use-selection.js';
import { columnsOf } from './width.js';
import { words } from './words.js';

/** The same as `--row` in log-viewer.module.css. */
export const ROW_PX = 20;
/** About the width of a character. */
const CHARACTER_PX = 7.3;
/** Columns of the times, and of what is around the numbers and the text. */
const TIME_COLUMNS = 14;
const MARGIN_COLUMNS = 6;

export interface LogViewOptions {
  readonly source: LogSource;
  readonly status: Build['status'];
  readonly failureLines: readonly [number, number] | null;
  /** Gets lines that come in while the build runs. */
  readonly onLines?: ((lines: readonly LogLine[]) => void) | undefined;
}

export const hasEnded = (status: Build['status']) => status !== 'queued' && status !== 'running';

export type LogView = ReturnType<typeof useLogView>;

export function useLogView({ source, status, failureLines, onLines }: LogViewOptions) {
  const ended = hasEnded(status);
  const { store, total: known, failure, isGrowing } = useLogStore(source, ended, onLines);
  const total = known ?? 0;
  const [preferences, setPreferences] = useLogPreferences();
  const [unseenFrom, setUnseenFrom] = useState<number | null>(null);
  const folds = useFolds(store, total);
  const { rows, reveal } = folds;
  const digits = String(Math.max(total, 1_000)).length;

  const scroll = useLogScroll({
    rows: rows.count,
    rowHeight: ROW_PX,
    wrap: preferences.wrap,
    follows: isGrowing,
    estimate(row, width) {
      const text = store.chunks.get(rows.lineAt(row))?.text ?? '';
      const around = digits + MARGIN_COLUMNS + (preferences.times === 'off' ? 0 : TIME_COLUMNS);
      const columns = Math.max(20, Math.floor(width / CHARACTER_PX) - around);
      return ROW_PX * Math.max(1, Math.ceil(columnsOf(text.slice(0, 2_000)) / columns));
    },
    keyOf: (row) => rows.lineAt(row),
    rowOf: (line) => rows.rowOf(line),
    onPinned: (pinned) => setUnseenFrom(pinned ? null : (store.state().total ?? 0)),
    onShow: (first, last, direction, isPassing) =>
      store.show(rows.lineAt(first), rows.lineAt(last), direction, isPassing),
  });

  const [target, setTarget] = useState<{ line: number; isLink: boolean } | null>(null);
  const bring = useCallback(
    (line: number, isLink = false) => {
      reveal(line);
      setTarget({ line, isLink });
    },
    [reveal],
  );
  const isReady = rows.count > 0;
  // Rows that were hidden in a fold exist only after they are rendered.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target
  useEffect(() => {
    if (target === null || !isReady) return;
    scroll.show(rows.rowOf(Math.min(target.line, total)));
    // The log may be below the end of the page's window.
    if (target.isLink) scroll.intoPage();
    setTarget(null);
  }, [target, isReady]);

  const selection = useSelection(({ first }) => bring(first, true));
  // Where a log opens: at the lines of the address, else at the failure, else at its beginning or, while it grows, its end.
  const [isOpened, setOpened] = useState(false);
  if (!isOpened && known !== null) {
    setOpened(true);
    const line = selection.range?.first ?? (ended ? failureLines?.[0] : undefined);
    if (line !== undefined) setTarget({ line, isLink: selection.range !== null });
  }

  const here = () => rows.lineAt(Math.min(scroll.top(), Math.max(0, rows.count - 1)));
  const search = useLogSearch({ source, lines: () => store.state().total ?? 0, here, onFound: bring });
  const toggleFold = useToggleFold(folds.toggle);
  return {
    store,
    known,
    total,
    failure,
    ended,
    folds,
    rows,
    scroll,
    selection,
    search,
    digits,
    preferences,
    setPreferences,
    bring,
    toggleFold,
    /** Lines that came while the reader was elsewhere; null: the end is in the window. */
    unseen: ended || unseenFrom === null ? null : Math.max(0, total - unseenFrom),
    goTo(first: number, last: number) {
      selection.set({ first, last });
      bring(first, true);
    },
    moveCursor(delta: 1 | -1, extend: boolean) {
      const line = selection.cursor();
      const next = line === null ? here() : rows.lineAt(Math.max(0, rows.rowOf(line) + delta));
      selection.select(Math.min(next, total), extend);
      bring(Math.min(next, total));
    },
    focus: scroll.focus,
  };
}

function useLogStore(source: LogSource, ended: boolean, onLines: LogViewOptions['onLines']) {
  const arrived = useRef(onLines);
  useEffect(() => {
    arrived.current = onLines;
  });
  const store = useMemo(
    () => new LogStore(source, readable, connection.report, (lines) => arrived.current?.(lines)),
    [source],
  );
  const { total, failure, isFinal } = useSyncExternalStore(store.subscribe, store.state);
  const [sawItRun, setSawItRun] = useState(!ended);
  if (!ended && !sawItRun) setSawItRun(true);
  useEffect(() => store.open(), [store]);
  useEffect(() => {
    addEventListener('online', store.onBack);
    const unsubscribe = connection.onBack(store.onBack);
    return () => {
      removeEventListener('online', store.onBack);
      unsubscribe();
    };
  }, [store]);
  useEffect(() => (ended ? undefined : store.follow()), [store, ended]);
  const wasRunning = useRef(!ended);
  useEffect(() => {
    if (ended && wasRunning.current) store.finish();
    wasRunning.current = !ended;
  }, [store, ended]);
  // The last lines come after the end of the build.
  return { store, total, failure, isGrowing: sawItRun && !(ended && isFinal) };
}

function useToggleFold(toggle: (line: number) => Promise<boolean>) {
  const w = useWords(words);
  const format = useFormat();
  const toast = useToast();
  return async (line: number) => {
    if (!(await toggle(line))) toast.done(w.noGroupEnd(format.number(GROUP_REACH)));
  };
}

// Whether it makes sense to read.

const readable = async (signal: AbortSignal): Promise<void> => {
  await connection.reachable(signal);
  await inForeground(signal);
};

/** Resolves when the page is in the foreground, or the signal aborts. */
const inForeground = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
    check();
  });
