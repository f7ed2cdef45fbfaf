// Names of the Macs that are ordered: one for each, or none. They are not part of the address.
import { LONGEST_MAC_NAME, macNameKey } from '../../../../shared/mac-name.js';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { type Checks, useOpenWhenRefused } from '../../design/form.js';
import { Note } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { nameProblem } from '../../macs/name-problem.js';
import { useWords } from '../../words/use-words.js';
import styles from './rent.module.css';
import { words } from './words.js';

/** The names of as many Macs as are ordered; empty: numbered ones. */
export function namesFor(typed: readonly string[], units: number): string[] {
  const names = Array.from({ length: units }, (_, at) => (typed[at] ?? '').trim());
  return names.every((name) => name === '') ? [] : names;
}

/** Returns what is wrong with each name. */
export function nameChecks(names: readonly string[]): Checks {
  const keys = names.map(macNameKey);
  return Object.fromEntries(
    names.map((name, at) => {
      const isTwice = keys.indexOf(keys[at] ?? '') < at;
      const problem = nameProblem(name) ?? (isTwice ? fieldProblem('duplicate', { value: name }) : null);
      return [`names.${at}`, problem];
    }),
  );
}

export function NameFields({
  units,
  typed,
  onChange,
}: {
  units: number;
  typed: readonly string[];
  onChange(typed: readonly string[]): void;
}) {
  const w = useWords(words);
  const details = useOpenWhenRefused('names');
  return (
    <details className={styles.names} ref={details}>
      <summary>{units === 1 ? w.nameOne : w.nameSeveral}</summary>
      <div className={styles.nameFields}>
        {Array.from({ length: units }, (_, at) => (
          <TextField
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a field is about
            key={at}
            name={`names.${at}`}
            label={units === 1 ? w.name : w.nameOf(at + 1)}
            value={typed[at] ?? ''}
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
