// Finds the known name that a misspelled one was meant to be, for messages about unknown fields, parameters and
// variables.

/** Only this many characters are compared, so that a long name costs no time. */
const COMPARED_CHARS = 64;
/** From this length, a name also matches a known one that is its prefix, or whose prefix it is. */
const PREFIX_CHARS = 4;

/**
 * Returns the known name that `name` was probably meant to be, or null. Letter case and separators do not count.
 *
 * @example nearestName('keepCache', ['keep_cache', 'when']) // 'keep_cache'
 */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = plain(name);
  if (wanted === '') return null;
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = distanceOf(wanted, plain(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

const plain = (name: string) =>
  name
    .slice(0, COMPARED_CHARS)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');

/** Returns Infinity when the words are too different. */
function distanceOf(wanted: string, known: string): number {
  const distance = editDistance(wanted, known);
  if (distance <= Math.max(1, Math.floor(Math.min(wanted.length, known.length) / 3))) return distance;
  const shorter = Math.min(wanted.length, known.length);
  const begins = wanted.startsWith(known) || known.startsWith(wanted);
  return begins && shorter >= PREFIX_CHARS ? distance : Number.POSITIVE_INFINITY;
}

/** Returns the number of insertions, deletions, substitutions and swaps of neighbors (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
