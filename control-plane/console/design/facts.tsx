import { Fragment, type ReactNode } from 'react';
import styles from './facts.module.css';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** Names and values. Entries that are null or false are left out: `facts={[started && { label, value }]}`. */
export function Facts({ facts }: { facts: readonly (Fact | null | undefined | false)[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map((fact) =>
        fact ? (
          <Fragment key={fact.label}>
            <dt>{fact.label}</dt>
            <dd>{fact.value}</dd>
          </Fragment>
        ) : null,
      )}
    </dl>
  );
}
