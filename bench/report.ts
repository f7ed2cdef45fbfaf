// Prints the results of a bench: a table, or one JSON document with --json.

export interface Figure {
  name: string;
  /** Median of the rounds. */
  value: number;
  unit: string;
  /** Ratio to the bench's named peer or limit, measured in the same run. */
  ratio: number | null;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const ratio = (value: number, base: number): number => Math.round((value / base) * 1000) / 1000;

/** @example print('masker', [{ name: 'RegExp', value: 84, unit: 'MB/s', ratio: 1 }]) */
export function print(title: string, figures: readonly Figure[]): void {
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ title, node: process.version, figures })}\n`);
    return;
  }
  process.stdout.write(`${title}\n`);
  const width = Math.max(...figures.map((f) => f.name.length));
  for (const f of figures) {
    const value = f.value >= 100 ? f.value.toFixed(0) : f.value.toPrecision(3);
    const against = f.ratio === null ? '' : `   x ${f.ratio.toFixed(2)}`;
    process.stdout.write(`  ${f.name.padEnd(width)}  ${value.padStart(10)} ${f.unit}${against}\n`);
  }
}
