import { NumberField as Base } from '@base-ui/react/number-field';
import Minus from 'lucide-react/icons/minus';
import Plus from 'lucide-react/icons/plus';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import styles from './field.module.css';
import { useField } from './form.js';
import { Field, type FieldTexts } from './text-field.js';

export interface NumberFieldProps extends FieldTexts {
  readonly value: number | null;
  onChange(value: number | null): void;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly disabled?: boolean;
}

/** A whole number with buttons for more and less. */
export function NumberField({ name, label, note, problem, value, onChange, ...limits }: NumberFieldProps) {
  const w = useWords(shared);
  const field = useField(name);
  return (
    <Field label={label} note={note} problem={problem ?? field.problem}>
      {({ id, ...described }) => (
        <Base.Root
          id={id}
          value={value}
          onValueChange={(next) => {
            field.edited();
            onChange(next);
          }}
          {...limits}
        >
          <Base.Group className={styles.number}>
            <Base.Decrement className={styles.step} aria-label={w.decrease}>
              <Minus aria-hidden />
            </Base.Decrement>
            <Base.Input {...described} className={styles.input} />
            <Base.Increment className={styles.step} aria-label={w.increase}>
              <Plus aria-hidden />
            </Base.Increment>
          </Base.Group>
        </Base.Root>
      )}
    </Field>
  );
}
