import type { Clock, Timer } from '../../shared/clock.js';

export interface SilenceWatch {
  /** Notes output. Cheap: called for every chunk. */
  heard(): void;
  lastHeardAt(): number | null;
  stop(): void;
}

/** Calls `onSilence` once for every pause in the output that lasts `silenceMs`; the first counts from now. */
export function watchSilence(clock: Clock, silenceMs: number, onSilence: () => void): SilenceWatch {
  const startedAt = clock.monotonic();
  let heardAt: number | null = null;
  /** The same in the time of day. */
  let reportedAt: number | null = null;
  let timer: Timer | null = null;
  const check = () => {
    timer = null;
    const left = (heardAt ?? startedAt) + silenceMs - clock.monotonic();
    if (left > 0) timer = clock.setTimeout(check, left);
    else onSilence();
  };
  timer = clock.setTimeout(check, silenceMs);
  return {
    heard() {
      heardAt = clock.monotonic();
      reportedAt = clock.now();
      timer ??= clock.setTimeout(check, silenceMs);
    },
    lastHeardAt: () => reportedAt,
    stop: () => timer?.cancel(),
  };
}
