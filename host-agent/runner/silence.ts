import type { Clock, Timer } from '../../shared/clock.js';

export interface SilenceWatch {
  /** Notes output. Cheap: called for every chunk. */
  heard(): void;
  lastHeardAt(): number | null;
  stop(): void;
}

/** Calls `onSilence` once for every pause in the output that lasts `silenceMs`; the first counts from now. */
export function watchSilence(clock: Clock, silenceMs: number, onSilence: () => void): SilenceWatch {
  const startedAt = clock.now();
  let heardAt: number | null = null;
  let timer: Timer | null = null;
  const check = () => {
    timer = null;
    const left = (heardAt ?? startedAt) + silenceMs - clock.now();
    if (left > 0) timer = clock.setTimeout(check, left);
    else onSilence();
  };
  timer = clock.setTimeout(check, silenceMs);
  return {
    heard() {
      heardAt = clock.now();
      timer ??= clock.setTimeout(check, silenceMs);
    },
    lastHeardAt: () => heardAt,
    stop: () => timer?.cancel(),
  };
}
