import { Meter as BaseMeter } from '@base-ui/react/meter';
import { Progress as BaseProgress } from '@base-ui/react/progress';
import type { Tone } from './badge.js';
import styles from './progress.module.css';

/** Progress of an action. `value`: 0 to 1; null: unknown. `text` is shown beside it. */
export function Progress({ label, value, text }: { label: string; value: number | null; text?: string }) {
  return (
    <BaseProgress.Root
      className={styles.root}
      value={value === null ? null : Math.round(Math.min(1, Math.max(0, value)) * 100)}
    >
      <span className={styles.texts}>
        <BaseProgress.Label>{label}</BaseProgress.Label>
        {text ? <span>{text}</span> : null}
      </span>
      <BaseProgress.Track className={styles.track}>
        <BaseProgress.Indicator className={styles.bar} />
      </BaseProgress.Track>
    </BaseProgress.Root>
  );
}

/** How much of a limit is used. */
export function Meter({
  label,
  value,
  max,
  text,
  tone,
}: {
  label: string;
  value: number;
  max: number;
  text: string;
  tone?: Tone;
}) {
  const share = max <= 0 ? 0 : Math.min(1, value / max);
  return (
    <BaseMeter.Root className={styles.root} value={Math.round(share * 1_000) / 10} getAriaValueText={() => text}>
      <span className={styles.texts}>
        <BaseMeter.Label>{label}</BaseMeter.Label>
        <span>{text}</span>
      </span>
      <BaseMeter.Track className={styles.track}>
        <BaseMeter.Indicator
          className={styles.bar}
          data-tone={tone ?? (share >= 1 ? 'bad' : share >= 0.9 ? 'warn' : undefined)}
        />
      </BaseMeter.Track>
    </BaseMeter.Root>
  );
}
