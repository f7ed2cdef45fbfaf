// The one switch that ends a build before its time: thrown by the service, the deadline, or a host that cannot go on.
import type { Clock, Timer } from '../../shared/clock.js';
import type { StopReason } from '../../shared/protocol/index.js';
import type { BuildStepError } from '../contract/build-step-error.js';

/** A reason to stop, or what makes it impossible to go on. */
export type HaltCause = StopReason | BuildStepError;

export interface Halt {
  /** Aborted once the build is to end. */
  readonly signal: AbortSignal;
  /** The first cause that was given; later ones are ignored. */
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

/** A signal that is aborted `ms` after the build was halted. Call `end` when nobody waits for it any more. */
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

/** What an aborted step throws; the cause stands in the Halt. */
export class Halted extends Error {
  override name = 'Halted';
  constructor() {
    super('the build was halted');
  }
}
