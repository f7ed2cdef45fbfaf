// Bars on lanes over time: builds per Mac, reservations per Mac.
import type { ReactNode } from 'react';
import { useFormat } from '../words/language.js';
import { useNow } from '../words/use-now.js';
import { shareOf, timeTicks } from './axis.js';
import type { Tone } from './badge.js';
import styles from './time-axis.module.css';

export interface AxisBar {
  readonly key: string;
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** Said by screen readers and in the tooltip. */
  readonly title: string;
  readonly tone?: Tone;
  /** An estimate: drawn with a dashed border. */
  readonly expected?: boolean;
  /** Wraps the bar's label, e.g. in a link. */
  readonly render?: (label: ReactNode) => ReactNode;
}

export interface AxisLane {
  readonly key: string;
  readonly label: ReactNode;
  readonly bars: readonly AxisBar[];
}

export interface TimeAxisProps {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly AxisLane[];
}

const DAY_MS = 24 * 3_600_000;

/** A list of lanes, each a list of bars: screen readers read it in order of time. */
export function TimeAxis({ label, from, to, lanes }: TimeAxisProps) {
  const format = useFormat();
  const now = useNow(10_000);
  const zoneMs = -new Date(from).getTimezoneOffset() * 60_000;
  const ticks = timeTicks(from, to, 8, zoneMs);
  const tickText = (at: number) => (to - from > 3 * DAY_MS ? format.day(at) : format.clock(at));
  const left = (at: number) => `${shareOf(at, from, to) * 100}%`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has to with the keyboard too
    <section className={styles.axis} aria-label={label} tabIndex={0} data-scrolls-x>
      <div className={styles.grid}>
        <div className={styles.corner} />
        <div className={styles.scale} aria-hidden="true">
          {ticks.map((at) => (
            <span key={at} className={styles.tick} style={{ left: left(at) }}>
              {tickText(at)}
            </span>
          ))}
        </div>
        <ol className={styles.lanes}>
          {lanes.map((lane) => (
            <li key={lane.key} className={styles.lane}>
              <div className={styles.name}>{lane.label}</div>
              <div className={styles.track}>
                {ticks.map((at) => (
                  <span key={at} className={styles.line} style={{ left: left(at) }} />
                ))}
                {now > from && now < to ? <span className={styles.now} style={{ left: left(now) }} /> : null}
                <ol className={styles.bars}>
                  {lane.bars.map((bar) => (
                    <li
                      key={bar.key}
                      className={styles.bar}
                      data-tone={bar.tone ?? 'neutral'}
                      data-expected={bar.expected || undefined}
                      title={bar.title}
                      style={{
                        left: left(bar.from),
                        width: `${(shareOf(bar.to, from, to) - shareOf(bar.from, from, to)) * 100}%`,
                      }}
                    >
                      <span className="unseen">{bar.title}</span>
                      {bar.render ? bar.render(bar.label) : <span aria-hidden="true">{bar.label}</span>}
                    </li>
                  ))}
                </ol>
              </div>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
