// Warnings about artifacts that were left out or contain a secret; a few sentences, however many artifacts there are.

const REASONS = {
  metadata: 'they belong to version control (.git and the like), which artifacts must not hold',
  link: 'they are symbolic links that do not lead to a file inside the folder',
  bundleLink: 'they are symbolic links that lead out of their bundle',
  name: 'their names cannot be told apart on a Mac, or are too long',
  other: 'they are neither files nor folders, or lie too deep',
} as const;

export type LeftOutReason = keyof typeof REASONS;

const REPLACED =
  'No artifacts were kept: the build replaced the folder $CIDERMILL_ARTIFACTS by a link or a file. Write files into the folder.';

const NAMED = 3;
const SENTENCES = 20;

export interface LeftOut {
  add(reason: LeftOutReason, name: string): void;
  /** The build has put something else in the place of the whole folder. */
  replaced(): void;
  /** Returns one sentence per reason, naming the first few artifacts. */
  warnings(): string[];
}

/** @param show removes secrets and control characters from a name */
export function createLeftOut(show: (name: string) => string): LeftOut {
  const seen = new Map<LeftOutReason, { count: number; names: string[] }>();
  let replaced = false;
  return {
    replaced() {
      replaced = true;
    },
    add(reason, name) {
      const known = seen.get(reason) ?? { count: 0, names: [] };
      seen.set(reason, known);
      known.count++;
      if (known.names.length < NAMED) known.names.push(show(name));
    },
    warnings: () => [
      ...(replaced ? [REPLACED] : []),
      ...[...seen].map(([reason, { count, names }]) => {
        const more = count > names.length ? ` and ${count - names.length} more` : '';
        return `Left out of the artifacts: ${names.join(', ')}${more}, because ${REASONS[reason]}.`;
      }),
    ],
  };
}

/** Returns the first warnings and the number of the others. */
export function firstWarnings(warnings: readonly string[], what: string): string[] {
  if (warnings.length <= SENTENCES) return [...warnings];
  return [...warnings.slice(0, SENTENCES), `${warnings.length - SENTENCES} more ${what}.`];
}
