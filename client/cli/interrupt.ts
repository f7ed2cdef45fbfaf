// Ctrl-C: stops at once before the build exists; later one cancels it, and two detach from it.
import type { Clock, Timer } from '../../shared/clock.js';
import type { CliContext } from './context.js';

/** Time after the first Ctrl-C in which a second one detaches, ms. */
export const GRACE_MS = 2_000;

export interface InterruptHandlers {
  /** There is no build yet. */
  onStop(): void;
  /** The first Ctrl-C while the build is being submitted: it is held until the build's id is known. */
  onHeld(): void;
  /** A further one: stop, although there may be a build. */
  onGivenUp(): void;
  /** The first Ctrl-C; the build is canceled in {@link GRACE_MS} unless another one comes. */
  onAsked(): void;
  /** The time has passed, or SIGTERM arrived: cancel now. */
  onCancel(): void;
  /** A further Ctrl-C: stop watching. `cancelling` tells whether the cancel request is on its way. */
  onLeave(cancelling: boolean): void;
}

/** Listens for SIGINT and SIGTERM until `stop` is called. */
export function listenForInterrupts(context: CliContext, clock: Clock, handlers: InterruptHandlers) {
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
      if (kept.length > 0) return handlers.onGivenUp();
      kept.push(onInt);
      handlers.onHeld();
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
  context.on('SIGINT', onInt);
  context.on('SIGTERM', onTerm);
  return {
    /** The build is being submitted: a Ctrl-C is held until its id is known. */
    submitting() {
      state = 'submitting';
    },
    /** There is a build. */
    watching() {
      state = 'watching';
      for (const happened of kept.splice(0)) happened();
    },
    /** The request was refused: there is no build, but the folder may be uploaded now. */
    refused() {
      state = 'preparing';
      for (const happened of kept.splice(0)) happened();
    },
    stop() {
      timer?.cancel();
      context.off('SIGINT', onInt);
      context.off('SIGTERM', onTerm);
    },
  };
}
