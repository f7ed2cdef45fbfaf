import type { ComponentProps, ReactNode } from 'react';
import type { Address } from '../addresses.js';
import styles from './button.module.css';
import { classNames } from './class-names.js';
import { Link, type LinkProps } from './link.js';
import { Tooltip } from './tooltip.js';

type Variant = 'primary' | 'quiet' | 'danger' | 'link';

interface Look {
  readonly variant?: Variant;
  readonly small?: boolean;
  readonly wide?: boolean;
  readonly icon?: ReactNode;
}

const lookOf = ({ variant = 'quiet', small, wide }: Look, className?: string) =>
  classNames(styles.button, styles[variant], small && styles.small, wide && styles.wide, className);

export interface ButtonProps extends ComponentProps<'button'>, Look {
  /** The action is under way: the button takes no clicks, and keeps the focus. */
  readonly pending?: boolean;
  /** Why the button cannot be used, e.g. the role that it needs. It stays focusable, so that everybody can read it. */
  readonly refused?: string | null | undefined;
}

/** @example <Button variant="primary" pending={save.isPending} onClick={…}>{w.save}</Button> */
export function Button({
  variant,
  small,
  wide,
  icon,
  pending = false,
  refused = null,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const off = pending || refused !== null;
  const button = (
    <button
      {...rest}
      type={off && type === 'submit' ? 'button' : type}
      className={lookOf({ variant, small, wide } as Look, className)}
      aria-disabled={off || undefined}
      aria-busy={pending || undefined}
      aria-description={refused ?? undefined}
      onClick={off ? undefined : onClick}
    >
      {pending ? <span className={styles.spinner} aria-hidden="true" /> : icon}
      {children}
    </button>
  );
  return refused === null ? button : <Tooltip text={refused}>{button}</Tooltip>;
}

/** A link that looks like a button. */
export function LinkButton<A extends Address>({
  variant,
  small,
  wide,
  icon,
  className,
  children,
  ...rest
}: LinkProps<A> & Look) {
  return (
    <Link {...(rest as LinkProps<A>)} className={lookOf({ variant, small, wide } as Look, className)}>
      {icon}
      {children}
    </Link>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** The accessible name, also shown as the tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({ label, icon, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button {...rest} type={type} aria-label={label} className={classNames(styles.iconOnly, className)}>
        {icon}
      </button>
    </Tooltip>
  );
}
