// What a menu shows, loaded when somebody comes near one (menu.tsx).
import { Menu as Base } from '@base-ui/react/menu';
import Check from 'lucide-react/icons/check';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.js';
import styles from './menu.module.css';

export interface MenuProps {
  /** The button, e.g. an IconButton. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** Is open from the start. */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align={align} sideOffset={4}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  onSelect?(): void;
  /** An element that the item becomes, e.g. a link. */
  readonly render?: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
}

export const MenuItem = ({ icon, danger = false, disabled, onSelect, render, children }: MenuItemProps) => (
  <Base.Item
    className={classNames(styles.item, danger && styles.danger)}
    disabled={disabled}
    onClick={onSelect}
    render={render}
  >
    <span className={styles.mark} aria-hidden="true">
      {icon}
    </span>
    {children}
  </Base.Item>
);

export const MenuLine = () => <Base.Separator className={styles.line} />;

export interface MenuChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  onChange(value: NoInfer<T>): void;
}

/** One choice of several, under a heading. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <Base.Group>
      <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(next: T) => onChange(next)}>
        {options.map((option) => (
          <Base.RadioItem key={option.value} value={option.value} className={styles.item} closeOnClick>
            <span className={styles.mark} aria-hidden="true">
              <Base.RadioItemIndicator>
                <Check />
              </Base.RadioItemIndicator>
            </span>
            {option.label}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}
