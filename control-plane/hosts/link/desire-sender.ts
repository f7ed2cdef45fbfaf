// Sends the desired state to the host: one at a time, the next one once that is acknowledged.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { ControlMessage } from '../../../shared/protocol/index.js';

const RETRY_MS = 1000;

type Desire = Extract<ControlMessage, { type: 'desire' }>;

export type DesireSender = ReturnType<typeof createDesireSender>;

/** Several pokes are combined: the desired state is computed once, when it can be sent. */
export function createDesireSender(deps: {
  /** If `whole` is false, the desired state is incomplete and is computed again after a second. */
  pull: () => Promise<Omit<Desire, 'type' | 'sequence'> & { whole: boolean }>;
  send: (message: ControlMessage) => void;
  failed: (error: unknown) => void;
  clock: Clock;
}) {
  const { pull, send, failed, clock } = deps;
  let sequence = 0;
  let unacknowledged = false;
  let stale = false;
  let pulling = false;
  let closed = false;
  let retry: Timer | null = null;

  const again = () => {
    stale = true;
    retry = clock.setTimeout(() => {
      retry = null;
      void step();
    }, RETRY_MS);
  };
  const step = async () => {
    if (!stale || pulling || unacknowledged || closed || retry) return;
    stale = false;
    pulling = true;
    try {
      const { whole, ...desire } = await pull();
      if (closed) return;
      unacknowledged = true;
      send({ type: 'desire', sequence: ++sequence, ...desire });
      if (!whole) again();
    } catch (error) {
      failed(error);
      again();
    } finally {
      pulling = false;
    }
    void step();
  };

  return {
    /** Call it when the desired state may have changed. */
    poke(): void {
      stale = true;
      void step();
    },
    /** Returns false when no desired state with that sequence has been sent. */
    acknowledged(acked: number): boolean {
      if (acked < 1 || acked > sequence) return false;
      if (acked === sequence) unacknowledged = false;
      void step();
      return true;
    },
    close(): void {
      closed = true;
      retry?.cancel();
    },
  };
}
