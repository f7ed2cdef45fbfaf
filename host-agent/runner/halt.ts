// Ends a build early: requested by the service, by the deadline, or by an error of the host.
import type { Clock, Timer } from '../../shared/clock.js';
import type { StopReason } from '../../shared/protocol/index.js';
import type { BuildStepError } from '../contract/build-step-error.js';

/** A stop reason, or the error that makes it impossible to continue. */
export type HaltCause = StopReason | BuildStepError;

export interface Halt {
  /** Aborted when the build has to end. */
  readonly signal: AbortSignal;
  /** Returns the first cause; later ones are ignored. */
  cause(): HaltCause | null;
  request(cause: HaltCause): void;
}

export function createHalt(): Halt {
  const controller = new AbortController();
  let first: HaltCause | null = null;
  return {
    signal: controller.signal,
    cause: () => first,
    request(cause) {
      if (first !== null) return;
      first = cause;
      controller.abort(new Halted());
    },
  };
}

/** Returns a signal that is aborted `ms` after the build was halted. Call `end` to release it. */
export function graceAfter(halt: Halt, clock: Clock, ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let timer: Timer | null = null;
  const begin = () => {
    timer = clock.setTimeout(() => controller.abort(new Halted()), ms);
  };
  if (halt.signal.aborted) begin();
  else halt.signal.addEventListener('abort', begin, { once: true });
  return {
    signal: controller.signal,
    end() {
      halt.signal.removeEventListener('abort', begin);
      timer?.cancel();
    },
  };
}

/** Thrown by an aborted step; see the cause in Halt. */
export class Halted extends Error {
  override name = 'Halted';
  constructor() {
    super('the build was halted');
  }
}
