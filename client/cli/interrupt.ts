// Ctrl-C: before there is a build it stops at once; then once asks to cancel, and twice leaves it running.
import type { Clock, Timer } from '../../shared/clock.js';

/** How long after the first Ctrl-C a second one still leaves the build alone. */
export const GRACE_MS = 2_000;

export interface InterruptHandlers {
  /** There is no build yet. */
  onStop(): void;
  /** The first Ctrl-C; the build is cancelled in {@link GRACE_MS} unless another one comes. */
  onAsked(): void;
  /** The time is over, or the process was told to end: cancel now. */
  onCancel(): void;
  /** A further Ctrl-C: stop watching. `cancelling` tells whether the cancel request is on its way. */
  onLeave(cancelling: boolean): void;
}

export interface Interrupts {
  /** From now on a build may come into being: a Ctrl-C is kept until its id is known. */
  submitting(): void;
  /** There is a build. */
  watching(): void;
  stop(): void;
}

/** Listens for SIGINT and SIGTERM until `stop` is called. */
export function listenForInterrupts(clock: Clock, handlers: InterruptHandlers): Interrupts {
  let state: 'preparing' | 'submitting' | 'watching' | 'asked' | 'cancelling' = 'preparing';
  const kept: (() => void)[] = [];
  let timer: Timer | null = null;
  const cancel = () => {
    timer?.cancel();
    state = 'cancelling';
    handlers.onCancel();
  };
  const onInt = () => {
    if (state === 'preparing') {
      handlers.onStop();
    } else if (state === 'submitting') {
      kept.push(onInt);
    } else if (state === 'watching') {
      state = 'asked';
      handlers.onAsked();
      timer = clock.setTimeout(cancel, GRACE_MS);
    } else {
      timer?.cancel();
      handlers.onLeave(state === 'cancelling');
    }
  };
  const onTerm = () => {
    if (state === 'preparing') handlers.onStop();
    else if (state === 'submitting') kept.push(onTerm);
    else if (state !== 'cancelling') cancel();
  };
  process.on('SIGINT', onInt);
  process.on('SIGTERM', onTerm);
  return {
    submitting() {
      state = 'submitting';
    },
    watching() {
      state = 'watching';
      for (const happened of kept.splice(0)) happened();
    },
    stop() {
      timer?.cancel();
      process.off('SIGINT', onInt);
      process.off('SIGTERM', onTerm);
    },
  };
}
