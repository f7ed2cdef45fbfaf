import { type ComponentProps, type ReactNode, useId } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import styles from './field.module.css';
import { useField } from './form.js';

export interface FieldTexts {
  /** Of the field of the body, with which the form around it shows what the service says; without it nothing is sent. */
  readonly name?: string | undefined;
  readonly label: string;
  /** Below the field. */
  readonly note?: ReactNode;
  /** Why the value is refused, where the form does not know it. */
  readonly problem?: string | undefined;
}

/**
 * The label, note and message around a control. `children` gets the attributes that connect them. A message replaces
 * the note, because often both say the same.
 */
export function Field({
  label,
  note,
  problem,
  optional = false,
  children,
}: Omit<FieldTexts, 'name'> & {
  optional?: boolean;
  children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const w = useWords(shared);
  const id = useId();
  const described = problem ? `${id}-problem` : note ? `${id}-note` : null;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional ? <span className={styles.optional}> ({w.optional})</span> : null}
      </label>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(problem ? { 'aria-invalid': true } : {}),
      })}
      {problem ? (
        <p className={styles.problem} id={`${id}-problem`}>
          {problem}
        </p>
      ) : note ? (
        <p className={styles.note} id={`${id}-note`}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

export interface TextFieldProps
  extends Omit<ComponentProps<'input'>, 'id' | 'name' | 'value' | 'onChange'>,
    FieldTexts {
  readonly value: string;
  onChange(value: string): void;
}

/** @example <TextField name="email" label={w.email} type="email" value={email} onChange={setEmail} /> */
export function TextField({ name, label, note, problem, value, onChange, required, ...rest }: TextFieldProps) {
  const field = useField(name, true);
  return (
    <Field label={label} note={note} problem={problem ?? field.problem} optional={required === false}>
      {(attributes) => (
        <input
          {...rest}
          {...attributes}
          name={name}
          required={required}
          className={styles.input}
          value={value}
          onChange={(event) => {
            field.edited();
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}

export interface TextAreaProps
  extends Omit<ComponentProps<'textarea'>, 'id' | 'name' | 'value' | 'onChange'>,
    FieldTexts {
  readonly value: string;
  onChange(value: string): void;
}

export function TextArea({ name, label, note, problem, value, onChange, required, ...rest }: TextAreaProps) {
  const field = useField(name, true);
  return (
    <Field label={label} note={note} problem={problem ?? field.problem} optional={required === false}>
      {(attributes) => (
        <textarea
          rows={4}
          {...rest}
          {...attributes}
          name={name}
          required={required}
          className={styles.input}
          value={value}
          onChange={(event) => {
            field.edited();
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}
