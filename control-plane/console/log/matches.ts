// The matching lines of a search, as far as they are loaded: a window of consecutive matches around the present one.
// The service answers the matches from a line on, and how many there are before and in all.

export interface MatchPage {
  readonly lines: readonly number[];
  readonly total: number;
  /** Matching lines before the first requested line. */
  readonly before: number;
  /** Where the next page begins; null if there are no more. */
  readonly next: number | null;
}

export interface Found {
  readonly line: number;
  /** From 1. */
  readonly ordinal: number;
}

export interface Matches {
  total(): number;
  /** The first match after a line; after the last one the first of the log. Null if nothing matches. */
  after(line: number): Promise<Found | null>;
  /** The last match before a line; before the first one the last of the log. */
  before(line: number): Promise<Found | null>;
}

/** First distance at which a match before the window is looked for, in lines. */
const FIRST_REACH = 1_000;

/**
 * @param read returns the matches from a line on
 * @param lines returns how many the log has now: it may grow
 */
export async function openMatches(read: (from: number) => Promise<MatchPage>, lines: () => number): Promise<Matches> {
  let known = lines();
  /** `lines` are all matches from `from` to before `next`. */
  let window = { from: 1, ...(await read(1)) };

  const goTo = async (from: number) => {
    window = { from, ...(await read(from)) };
  };
  /** The log of a running build has grown since: there may be more matches. */
  const freshen = async () => {
    if (lines() === known) return;
    known = lines();
    await goTo(window.from);
  };
  const covers = (line: number) => line >= window.from && (window.next === null || line < window.next);
  const at = (index: number): Found | null => {
    const line = window.lines[index];
    return line === undefined ? null : { line, ordinal: window.before + index + 1 };
  };
  const lastBefore = async (line: number): Promise<Found | null> => {
    if (line <= 1) return null;
    for (let reach = FIRST_REACH; ; reach *= 8) {
      if (covers(line - 1)) {
        const index = window.lines.findLastIndex((each) => each < line);
        if (index >= 0 || window.from === 1) return at(index);
      }
      await goTo(Math.max(1, line - reach));
      // The next page begins with a match.
      while (window.next !== null && window.next < line) await goTo(window.next);
    }
  };

  return {
    total: () => window.total,
    async after(line) {
      await freshen();
      if (window.total === 0) return null;
      if (!covers(line + 1)) await goTo(line + 1);
      const index = window.lines.findIndex((each) => each > line);
      if (index >= 0) return at(index);
      await goTo(window.next ?? 1);
      return at(0);
    },
    async before(line) {
      await freshen();
      if (window.total === 0) return null;
      // Before the first one: the last, which is the end of the last page.
      return (await lastBefore(line)) ?? lastBefore(known + 1);
    },
  };
}

/** Places of a text in a line, ignoring case, as [from, to). */
export function marksIn(text: string, wanted: string): readonly (readonly [number, number])[] {
  const places: [number, number][] = [];
  if (wanted === '') return places;
  const all = text.toLowerCase();
  // A few letters change their length in lower case; places would then be wrong.
  if (all.length !== text.length) return places;
  const lower = wanted.toLowerCase();
  for (let at = all.indexOf(lower); at >= 0; at = all.indexOf(lower, at + lower.length))
    places.push([at, at + lower.length]);
  return places;
}
