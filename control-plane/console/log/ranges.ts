// Lines in the address of a page: `#L10` and `#L10-L20`.

/** Both inclusive, from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** @returns null if the fragment names no lines */
export function parseRange(fragment: string): LineRange | null {
  const found = /^#?L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?$/.exec(fragment);
  if (!found) return null;
  const one = Number(found[1]);
  const other = Number(found[2] ?? one);
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

/** @example formatRange({ first: 10, last: 20 }) // '#L10-L20' */
export const formatRange = ({ first, last }: LineRange): string =>
  first === last ? `#L${first}` : `#L${first}-L${last}`;

/** Extends a selection to a line, from where it was begun. */
export const extendedTo = (anchor: number, line: number): LineRange => ({
  first: Math.min(anchor, line),
  last: Math.max(anchor, line),
});

export const isIn = (range: LineRange | null, line: number): boolean =>
  range !== null && line >= range.first && line <= range.last;
