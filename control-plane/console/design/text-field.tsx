import { type ComponentProps, type ReactNode, useId } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import styles from './field.module.css';

export interface FieldTexts {
  readonly label: string;
  /** Below the field. */
  readonly note?: ReactNode;
  /** Why the value was refused. */
  readonly problem?: string | undefined;
}

/** The label, note and message around a control. `children` gets the attributes that connect them. */
export function Field({
  label,
  note,
  problem,
  optional = false,
  children,
}: FieldTexts & {
  optional?: boolean;
  children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const w = useWords(shared);
  const id = useId();
  const described = [note ? `${id}-note` : null, problem ? `${id}-problem` : null].filter(Boolean).join(' ');
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
      ) : null}
      {note ? (
        <p className={styles.note} id={`${id}-note`}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'value' | 'onChange'>, FieldTexts {
  readonly value: string;
  onChange(value: string): void;
}

/** @example <TextField label={w.email} type="email" value={email} onChange={setEmail} problem={fieldProblem(error, 'email')} /> */
export function TextField({ label, note, problem, value, onChange, required, ...rest }: TextFieldProps) {
  return (
    <Field label={label} note={note} problem={problem} optional={required === false}>
      {(attributes) => (
        <input
          {...rest}
          {...attributes}
          required={required}
          className={styles.input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'id' | 'value' | 'onChange'>, FieldTexts {
  readonly value: string;
  onChange(value: string): void;
}

export function TextArea({ label, note, problem, value, onChange, required, ...rest }: TextAreaProps) {
  return (
    <Field label={label} note={note} problem={problem} optional={required === false}>
      {(attributes) => (
        <textarea
          rows={4}
          {...rest}
          {...attributes}
          required={required}
          className={styles.input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
