import { type ReactNode, useId } from 'react';
import styles from './card.module.css';
import { classNames } from './class-names.js';

export interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  /** The content reaches the border: for tables and logs. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A section of a page; with a title it is a region of that name. */
export function Card({ title, actions, flush = false, className, children }: CardProps) {
  const id = useId();
  return (
    <section className={classNames(styles.card, className)} aria-labelledby={title ? id : undefined}>
      {title ? (
        <header className={styles.header}>
          <h2 id={id}>{title}</h2>
          {actions ? <div className={styles.actions}>{actions}</div> : null}
        </header>
      ) : null}
      <div className={flush ? undefined : styles.body}>{children}</div>
    </section>
  );
}
