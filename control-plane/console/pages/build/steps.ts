// The steps of a build as the run bar shows them.
import type { Build } from '../../../../client/types.js';

export const stepNames = ['queue', 'prepare', 'source', 'xcode', 'script', 'artifacts'] as const;
export type StepName = (typeof stepNames)[number];

export interface RunStep {
  readonly name: StepName;
  /** `failed`: the build ended in it, and it is the cause. `stopped`: it ended there otherwise. */
  readonly state: 'done' | 'active' | 'ahead' | 'failed' | 'stopped';
  /** ms since the epoch; null: not known, or not begun. */
  readonly from: number | null;
  /** Null while it goes on. */
  readonly to: number | null;
}

type Shown = Pick<Build, 'status' | 'steps' | 'xcode' | 'failure' | 'timings'>;

const timeOf = (iso: string | null | undefined) => (iso == null ? null : Date.parse(iso));

/** Returns the steps in order; Xcode only if the build wants a certain one. */
export function stepsOf({ status, steps, xcode, failure, timings }: Shown): RunStep[] {
  const started = timeOf(timings.started_at);
  const ended = timeOf(timings.ended_at);
  const begins = stepNames
    .filter((name) => name !== 'xcode' || xcode !== null)
    .map((name) => ({ name, from: name === 'queue' ? timeOf(timings.created_at) : timeOf(steps[name]) }));
  // The host has reported no steps, or none yet: only the script is known.
  const known = begins.some(({ name, from }) => name !== 'queue' && from !== null);
  const shown = begins.map((each) => (!known && each.name === 'prepare' ? { ...each, from: started } : each));
  const last = shown.findLastIndex(({ from }) => from !== null);
  return shown.map(({ name, from }, at) => {
    const next = shown.slice(at + 1).find((each) => each.from !== null)?.from ?? null;
    const to = from === null ? null : (next ?? ended);
    return { name, from, to, state: stateOf(name, at, last) };
  });

  function stateOf(name: StepName, at: number, last: number): RunStep['state'] {
    const failedHere = status === 'failed' && failedStep() === name;
    if (failedHere) return 'failed';
    if (at > last) return 'ahead';
    if (at < last) return 'done';
    if (ended === null) return 'active';
    return status === 'succeeded' || (status === 'failed' && failedStep() !== null) ? 'done' : 'stopped';
  }

  /** The step that the failure names, if the bar has it; otherwise the last one. */
  function failedStep(): StepName | null {
    const named = stepNames.find((name) => name === failure?.step);
    if (named !== undefined && shown.some(({ name }) => name === named)) return named;
    return shown[last]?.name ?? null;
  }
}

/** How much of the bar each step gets: by its time, but never too little to be seen. The shares add up to 1. */
export function sharesOf(steps: readonly RunStep[], now: number): number[] {
  const LEAST = 0.07;
  const times = steps.map(({ from, to }) => (from === null ? 0 : Math.max(0, (to ?? now) - from)));
  const total = times.reduce((sum, each) => sum + each, 0);
  const free = 1 - LEAST * steps.length;
  return times.map((each) => LEAST + (total === 0 ? free / steps.length : (each / total) * free));
}
