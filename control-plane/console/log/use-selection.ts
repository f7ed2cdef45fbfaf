// The selected lines, which are also in the address of the page.
import { useCallback, useEffect, useRef, useState } from 'react';
import { extendedTo, formatRange, type LineRange, parseRange } from './ranges.js';

/** @param onAddress called with the lines of a new address, also of the first one */
export function useSelection(onAddress: (range: LineRange) => void) {
  const [range, setRange] = useState<LineRange | null>(() => parseRange(location.hash));
  const own = useRef({ anchor: range?.first ?? 0, cursor: range?.last ?? null });
  const latest = useRef(onAddress);
  latest.current = onAddress;

  const keep = useCallback((next: LineRange | null) => {
    setRange(next);
    const { pathname, search } = location;
    const hash = next ? formatRange(next) : '';
    // Not through the router, for which this would be a navigation: it moves the focus to the heading.
    if (hash !== location.hash)
      History.prototype.replaceState.call(history, history.state, '', `${pathname}${search}${hash}`);
  }, []);
  const set = useCallback(
    (next: LineRange) => {
      own.current = { anchor: next.first, cursor: next.last };
      keep(next);
    },
    [keep],
  );

  useEffect(() => {
    const onHash = () => {
      const next = parseRange(location.hash);
      if (!next) return;
      own.current = { anchor: next.first, cursor: next.last };
      setRange(next);
      latest.current(next);
    };
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);

  return {
    range,
    set,
    /** Selects a line, or with `extend` all from where the selection began. */
    select: useCallback(
      (line: number, extend: boolean) => {
        if (!extend || own.current.anchor === 0) return set({ first: line, last: line });
        own.current.cursor = line;
        keep(extendedTo(own.current.anchor, line));
      },
      [keep, set],
    ),
    clear: useCallback(() => {
      own.current = { anchor: 0, cursor: null };
      keep(null);
    }, [keep]),
    /** The line that was selected last. */
    cursor: useCallback(() => own.current.cursor, []),
  };
}
