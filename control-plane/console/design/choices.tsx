// Checkbox, switch, and one choice of several.
import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup as BaseRadioGroup } from '@base-ui/react/radio-group';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import Check from 'lucide-react/icons/check';
import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

export interface CheckboxProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  onChange(checked: boolean): void;
  readonly disabled?: boolean;
}

export function Checkbox({ label, checked, onChange, disabled = false }: CheckboxProps) {
  const id = useId();
  return (
    <div className={styles.choice} data-disabled={disabled || undefined}>
      <BaseCheckbox.Root
        className={styles.box}
        aria-labelledby={id}
        checked={checked}
        onCheckedChange={(next) => onChange(next)}
        disabled={disabled}
      >
        <BaseCheckbox.Indicator>
          <Check aria-hidden />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger target for the pointer; keys go to the box */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the box */}
      <span id={id} onClick={() => (disabled ? undefined : onChange(!checked))}>
        {label}
      </span>
    </div>
  );
}

export function Switch({ label, checked, onChange, disabled = false }: CheckboxProps) {
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

export function RadioGroup<T extends string>({ label, value, options, onChange }: RadioGroupProps<T>) {
  const id = useId();
  return (
    <div>
      <p className={styles.legend} id={id}>
        {label}
      </p>
      <BaseRadioGroup
        aria-labelledby={id}
        className={styles.choices}
        value={value}
        onValueChange={(next) => onChange(next as T)}
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
    </div>
  );
}
