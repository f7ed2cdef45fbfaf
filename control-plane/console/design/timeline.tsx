import type { ReactNode } from 'react';
import type { Moment } from '../words/format.js';
import { Time } from './amounts.js';
import type { Tone } from './badge.js';
import styles from './timeline.module.css';

export interface TimelineEntry {
  readonly key: string;
  /** Null: not yet. */
  readonly at: Moment | null;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly tone?: Tone;
}

/** What happened, one entry below the other. */
export function Timeline({ label, entries }: { label: string; entries: readonly TimelineEntry[] }) {
  return (
    <ol className={styles.timeline} aria-label={label}>
      {entries.map(({ key, at, title, detail, tone = 'neutral' }) => (
        <li key={key} className={styles.entry} data-tone={tone} data-ahead={at === null || undefined}>
          <div className={styles.title}>{title}</div>
          {at === null ? null : (
            <div className={styles.time}>
              <Time at={at} exact />
            </div>
          )}
          {detail ? <div className={styles.detail}>{detail}</div> : null}
        </li>
      ))}
    </ol>
  );
}
