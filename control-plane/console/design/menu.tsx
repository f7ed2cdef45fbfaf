import { Menu as Base } from '@base-ui/react/menu';
import Check from 'lucide-react/icons/check';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.js';
import styles from './menu.module.css';

/** A button with a list of actions. `trigger`: the button, e.g. an IconButton. */
export function Menu({
  trigger,
  align = 'end',
  children,
}: {
  trigger: ReactElement<Record<string, unknown>>;
  align?: 'start' | 'end';
  children: ReactNode;
}) {
  return (
    <Base.Root modal={false}>
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

/** One choice of several, under a heading. */
export function MenuChoice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { readonly value: T; readonly label: string }[];
  onChange(value: NoInfer<T>): void;
}) {
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
