// Checkbox, switch, and one choice of several.
import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup as BaseRadioGroup } from '@base-ui/react/radio-group';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import Check from 'lucide-react/icons/check';
import { createContext, type ReactNode, useContext, useId } from 'react';
import styles from './field.module.css';
import { useField } from './form.js';
import { Tooltip } from './tooltip.js';

export interface CheckboxProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  onChange(checked: boolean): void;
  readonly disabled?: boolean;
  /** Why the box cannot be ticked. It stays focusable, so that everybody can read it. */
  readonly refused?: string | null;
}

export function Checkbox({ label, checked, onChange: changed, disabled = false, refused = null }: CheckboxProps) {
  const id = useId();
  const group = useContext(CheckboxContext);
  const onChange = (next: boolean) => {
    group?.edited();
    changed(next);
  };
  const off = disabled || refused !== null;
  const box = (
    <BaseCheckbox.Root
      className={styles.box}
      aria-labelledby={id}
      aria-disabled={off || undefined}
      aria-description={refused ?? undefined}
      checked={checked}
      onCheckedChange={(next) => onChange(next)}
      disabled={disabled}
      readOnly={refused !== null}
      {...group?.attributes}
    >
      <BaseCheckbox.Indicator>
        <Check aria-hidden />
      </BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  );
  return (
    <div className={styles.choice} data-disabled={off || undefined}>
      {refused === null ? box : <Tooltip text={refused}>{box}</Tooltip>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger target for the pointer; keys go to the box */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the box */}
      <span id={id} onClick={() => (off ? undefined : onChange(!checked))}>
        {label}
      </span>
    </div>
  );
}

interface CheckboxState {
  readonly attributes: { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true };
  edited(): void;
}

const CheckboxContext = createContext<CheckboxState | null>(null);

export interface CheckboxGroupProps {
  /** Of the field of the body. */
  readonly name?: string;
  readonly label: ReactNode;
  readonly children: ReactNode;
}

/** Several checkboxes of one field. */
export function CheckboxGroup({ name, label, children }: CheckboxGroupProps) {
  const id = useId();
  const { problem, edited } = useField(name);
  const attributes = problem ? { 'aria-describedby': `${id}-problem`, 'aria-invalid': true as const } : {};
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{label}</legend>
      <CheckboxContext value={{ attributes, edited }}>{children}</CheckboxContext>
      {problem ? (
        <p className={styles.problem} id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
    </fieldset>
  );
}

export function Switch({ label, checked, onChange, disabled = false }: Omit<CheckboxProps, 'refused'>) {
  const id = useId();
  return (
    <div className={styles.choice} data-disabled={disabled || undefined}>
      <BaseSwitch.Root
        className={styles.switch}
        aria-labelledby={id}
        checked={checked}
        onCheckedChange={(next) => onChange(next)}
        disabled={disabled}
      >
        <BaseSwitch.Thumb className={styles.thumb} />
      </BaseSwitch.Root>
      <span id={id}>{label}</span>
    </div>
  );
}

export interface RadioGroupProps<T extends string> {
  /** Of the field of the body. */
  readonly name?: string;
  readonly label: string;
  readonly value: NoInfer<T>;
  readonly options: readonly {
    readonly value: NoInfer<T>;
    readonly label: ReactNode;
    readonly note?: ReactNode;
    readonly disabled?: boolean;
  }[];
  onChange(value: NoInfer<T>): void;
}

export function RadioGroup<T extends string>({ name, label, value, options, onChange }: RadioGroupProps<T>) {
  const id = useId();
  const { problem, edited } = useField(name);
  return (
    <div>
      <p className={styles.legend} id={id}>
        {label}
      </p>
      <BaseRadioGroup
        aria-labelledby={id}
        aria-describedby={problem ? `${id}-problem` : undefined}
        aria-invalid={problem ? true : undefined}
        className={styles.choices}
        value={value}
        onValueChange={(next) => {
          edited();
          onChange(next as T);
        }}
      >
        {options.map((option) => (
          <div key={option.value} className={styles.choice} data-disabled={option.disabled || undefined}>
            <Radio.Root
              className={styles.dot}
              value={option.value}
              disabled={option.disabled}
              aria-labelledby={`${id}-${option.value}`}
            >
              <Radio.Indicator />
            </Radio.Root>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger target for the pointer; keys go to the dot */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the dot */}
            <span id={`${id}-${option.value}`} onClick={() => (option.disabled ? undefined : onChange(option.value))}>
              {option.label}
              {option.note ? <span className={styles.note}> {option.note}</span> : null}
            </span>
          </div>
        ))}
      </BaseRadioGroup>
      {problem ? (
        <p className={styles.problem} id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}
