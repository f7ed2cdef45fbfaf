// Which rows there are when groups are folded. The first line of a group stays, the others are hidden.

export interface Fold {
  /** The line that stays. */
  readonly header: number;
  readonly last: number;
}

export function createRows(total: number, folds: readonly Fold[]) {
  const headers = new Map(folds.map(({ header, last }) => [header, Math.max(0, Math.min(last, total) - header)]));
  const hidden = union(folds, total);
  /** Lines hidden before each range. */
  const before: number[] = [];
  let sum = 0;
  for (const { from, to } of hidden) {
    before.push(sum);
    sum += to - from + 1;
  }
  /** Index of the last range for which `isAt` holds. */
  const lastWhere = (isAt: (range: { from: number; to: number }, i: number) => boolean) => {
    let low = 0;
    let high = hidden.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = hidden[middle];
      if (range && isAt(range, middle)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    count: total - sum,
    /** The line (from 1) of a row (from 0). */
    lineAt(row: number): number {
      const line = row + 1;
      const at = lastWhere(({ from }, i) => from - (before[i] ?? 0) <= line);
      const range = hidden[at];
      return range ? line + (before[at] ?? 0) + range.to - range.from + 1 : line;
    },
    /** The row of a line, or of the group in which it is hidden. */
    rowOf(line: number): number {
      const at = lastWhere(({ from }) => from <= line);
      const range = hidden[at];
      if (!range) return line - 1;
      if (line <= range.to) return range.from - 2 - (before[at] ?? 0);
      return line - 1 - (before[at] ?? 0) - (range.to - range.from + 1);
    },
    /** Hidden lines of the fold with this header; 0 if there is none. */
    hiddenBelow: (line: number): number => headers.get(line) ?? 0,
  };
}

/** Returns the folds without those that hide a line. */
export const unfolded = (folds: readonly Fold[], line: number): readonly Fold[] =>
  folds.filter(({ header, last }) => !(line > header && line <= last));

/** The hidden lines as ranges that neither overlap nor touch, in order. */
function union(folds: readonly Fold[], total: number): { from: number; to: number }[] {
  const sorted = folds
    .map(({ header, last }) => ({ from: header + 1, to: Math.min(last, total) }))
    .filter(({ from, to }) => from <= to)
    .sort((a, b) => a.from - b.from);
  const ranges: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = ranges.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return ranges;
}
