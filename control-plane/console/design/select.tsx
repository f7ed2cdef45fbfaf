import { Select as Base } from '@base-ui/react/select';
import Check from 'lucide-react/icons/check';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { classNames } from './class-names.js';
import styles from './field.module.css';
import { useField } from './form.js';
import menu from './menu.module.css';
import { Field, type FieldTexts } from './text-field.js';

export interface SelectProps<T extends string> extends FieldTexts {
  readonly value: T;
  readonly options: readonly {
    readonly value: NoInfer<T>;
    readonly label: string;
    readonly disabled?: boolean;
  }[];
  onChange(value: NoInfer<T>): void;
  /** Called when the options are shown, for those that are loaded only then. */
  onOpen?(): void;
  readonly disabled?: boolean;
  /** The label is only for screen readers: for filters above a list. */
  readonly inline?: boolean;
}

/** @example <Select label={w.status} value={status} options={[{ value: 'failed', label: w.failed }]} onChange={…} /> */
export function Select<T extends string>({
  name,
  label,
  note,
  problem,
  value,
  options,
  onChange,
  onOpen,
  disabled,
  inline = false,
}: SelectProps<T>) {
  const field = useField(name);
  const control = (attributes: object) => (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => {
        if (next === null) return;
        field.edited();
        onChange(next as T);
      }}
      onOpenChange={(open) => open && onOpen?.()}
      disabled={disabled}
      modal={false}
    >
      <Base.Trigger {...attributes} className={classNames(styles.trigger, inline && styles.inline)}>
        <Base.Value />
        <ChevronDown aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={menu.positioner} sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className={menu.popup}>
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} disabled={option.disabled} className={menu.item}>
                <span className={menu.mark} aria-hidden="true">
                  <Base.ItemIndicator>
                    <Check />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
  if (inline) return control({ 'aria-label': `${label}: ${labelOf(options, value)}` });
  return (
    <Field label={label} note={note} problem={problem ?? field.problem}>
      {control}
    </Field>
  );
}

const labelOf = (options: readonly { value: string; label: string }[], value: string) =>
  options.find((option) => option.value === value)?.label ?? value;
