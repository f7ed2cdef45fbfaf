// Folded groups of a log. Whether a group can be folded is known when its end is loaded, so folding may load lines.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { shownText } from './ansi.js';
import { createRows, type Fold, unfolded } from './folds.js';
import { groupAt, groupEnd, type Lines } from './groups.js';
import type { LogStore } from './log-store.js';

/** How far the end of a group is looked for, in lines. */
export const GROUP_REACH = 20_000;

export type Folds = ReturnType<typeof useFolds>;

export function useFolds(store: LogStore, total: number) {
  const [folds, setFolds] = useState<readonly Fold[]>([]);
  const rows = useMemo(() => createRows(total, folds), [total, folds]);
  const ended = useRef<AbortController>(null);
  useEffect(() => {
    const own = new AbortController();
    ended.current = own;
    return () => own.abort();
  }, []);

  const lines = useMemo(
    (): Lines => ({
      get total() {
        return store.state().total ?? 0;
      },
      textOf(line) {
        const read = store.chunks.read(line);
        return read && shownText(read);
      },
    }),
    [store],
  );

  return {
    rows,
    isEmpty: folds.length === 0,
    /** Null: no group begins with the line; else whether it is folded. */
    stateOf(line: number): boolean | null {
      const text = lines.textOf(line);
      if (text === null || groupAt(text) === null) return null;
      return folds.some(({ header }) => header === line);
    },
    /** Folds or unfolds; false if the end of the group was not found. */
    toggle: useCallback(
      async (line: number): Promise<boolean> => {
        const isFolded = folds.some(({ header }) => header === line);
        if (isFolded) {
          setFolds((all) => all.filter(({ header }) => header !== line));
          return true;
        }
        const signal = ended.current?.signal ?? AbortSignal.abort();
        let end = groupEnd(lines, line);
        while (!end.found) {
          const { missing } = end;
          if (missing - line > GROUP_REACH || !(await store.need(missing, signal))) return signal.aborted;
          end = groupEnd(lines, line);
        }
        const { last } = end;
        if (last > line) setFolds((all) => [...all, { header: line, last }]);
        return true;
      },
      [folds, lines, store],
    ),
    /** Folds all groups that are loaded from the window on. */
    foldLoaded: useCallback(() => {
      const found: Fold[] = [];
      const { total: count } = lines;
      for (let line = 1; line <= count; line++) {
        const text = store.chunks.get(line) === null ? null : lines.textOf(line);
        if (text === null || groupAt(text) === null) continue;
        const end = groupEnd(lines, line);
        if (end.found && end.last > line) found.push({ header: line, last: end.last });
      }
      setFolds(found);
    }, [lines, store]),
    unfoldAll: useCallback(() => setFolds([]), []),
    /** Unfolds what hides a line. */
    reveal: useCallback((line: number) => setFolds((all) => (all.length === 0 ? all : unfolded(all, line))), []),
  };
}
