// Names of the Macs that are ordered: one for each, or none. They are not part of the address.
import { LONGEST_MAC_NAME, macNameKey } from '../../../../shared/mac-name.js';
import { Failure } from '../../data/failure.js';
import { Note } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { useNameProblem } from '../../macs/use-name-problem.js';
import { words as macWords } from '../../macs/words.js';
import { useWords } from '../../words/use-words.js';
import styles from './rent.module.css';
import { words } from './words.js';

/** The names of as many Macs as are ordered; empty: numbered ones. */
export function namesFor(typed: readonly string[], units: number): string[] {
  const names = Array.from({ length: units }, (_, at) => (typed[at] ?? '').trim());
  return names.every((name) => name === '') ? [] : names;
}

/** Returns what is wrong with each name, by its place. */
export function useNameProblems(): (names: readonly string[], error: unknown) => ReadonlyMap<number, string> {
  const { problem: w } = useWords(macWords);
  const problemOf = useNameProblem();
  return (names, error) => {
    const problems = new Map<number, string>();
    const keys = names.map(macNameKey);
    for (const [at, name] of names.entries()) {
      const own = name === '' ? w.missing : problemOf.before(name);
      const problem = own ?? (keys.indexOf(keys[at] ?? '') < at ? w.twice : null);
      if (problem !== null) problems.set(at, problem);
    }
    const taken = problemOf.after(error);
    const at =
      error instanceof Failure ? Number(/^names\.(\d+)$/.exec(error.fields[0] ?? '')?.[1] ?? Number.NaN) : Number.NaN;
    if (taken !== null && !Number.isNaN(at)) problems.set(at, taken);
    return problems;
  };
}

export function NameFields({
  units,
  typed,
  problems,
  onChange,
}: {
  units: number;
  typed: readonly string[];
  problems: ReadonlyMap<number, string>;
  onChange(typed: readonly string[]): void;
}) {
  const w = useWords(words);
  return (
    <details className={styles.names} open={problems.size > 0 || undefined}>
      <summary>{units === 1 ? w.nameOne : w.nameSeveral}</summary>
      <div className={styles.nameFields}>
        {Array.from({ length: units }, (_, at) => (
          <TextField
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a field is about
            key={at}
            label={units === 1 ? w.name : w.nameOf(at + 1)}
            value={typed[at] ?? ''}
            problem={problems.get(at)}
            required={false}
            autoComplete="off"
            dir="auto"
            onChange={(value) =>
              onChange(Array.from({ length: units }, (_, i) => (i === at ? value : (typed[i] ?? ''))))
            }
          />
        ))}
        <Note>{w.nameNote(LONGEST_MAC_NAME)}</Note>
      </div>
    </details>
  );
}
