// The steps of a build beside each other, with their times, and when it is expected to end.

import type { Build } from '../../../../client/types.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import { clock } from '../../clock.js';
import { classNames } from '../../design/class-names.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './run-bar.module.css';
import { silentSeconds } from './silence.js';
import { type RunStep, sharesOf, stepsOf } from './steps.js';
import { words } from './words.js';

/** @param readAt when the build was read, by this machine's clock, ms */
export function RunBar({ build, readAt }: { build: Build; readAt: number }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const now = useNow();
  const steps = stepsOf(build);
  const shares = sharesOf(steps, now);
  return (
    <section className={styles.bar} aria-label={w.progress}>
      <ol className={styles.steps}>
        {steps.map((step, at) => (
          <li
            key={step.name}
            className={classNames(styles.step, styles[step.state])}
            data-state={step.state}
            style={{ flexGrow: shares[at] }}
          >
            <span className={styles.mark} aria-hidden="true" />
            <span className={styles.name}>{textOf(own.step, step.name)}</span>
            <span className={styles.time}>
              <StepTime step={step} now={now} />
            </span>
            <span className="unseen">{w.stepState[step.state]}</span>
          </li>
        ))}
      </ol>
      <p className={styles.summary}>
        <Summary build={build} now={now} silentS={silentSeconds(build, readAt, clock.now())} />
      </p>
    </section>
  );
}

function StepTime({ step: { from, to }, now }: { step: RunStep; now: number }) {
  const format = useFormat();
  if (from === null) return null;
  const ms = (to ?? now) - from;
  return <>{to === null ? format.duration(ms) : format.lasted(ms)}</>;
}

/** Waiting: when it starts. Running: when it is expected to end. Ended: how long it took. */
function Summary({ build, now, silentS }: { build: Build; now: number; silentS: number | null }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const format = useFormat();
  const { created_at, started_at, ended_at, estimated_end_at } = build.timings;
  if (ended_at !== null) {
    const whole = format.lasted(Date.parse(ended_at) - Date.parse(created_at));
    return <>{w.took(whole)}</>;
  }
  if (started_at === null) {
    const { queue_position: position, estimated_start_at: start, wait_reason: reason } = build;
    const parts = [
      position === null ? null : own.position(position),
      start === null ? null : own.startsIn(format.about(Date.parse(start) - now)),
      reason === null ? null : textOf(own.wait, reason),
    ];
    return <>{parts.filter(Boolean).join(' · ')}</>;
  }
  const ran = format.duration(now - Date.parse(started_at));
  const left = estimated_end_at === null ? null : Date.parse(estimated_end_at) - now;
  const parts = [
    w.runningFor(ran),
    left === null ? null : left > 0 ? own.left(format.about(left)) : own.over(format.about(-left)),
    silentS === null ? null : w.silent(format.duration(silentS * 1_000)),
  ];
  return <>{parts.filter(Boolean).join(' · ')}</>;
}
