// Ends requests that stay open, long polls and streams, once their caller would be refused: the key has been revoked or
// has expired, the account is suspended, the person has signed out. It does not matter which process wrote it.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../domain/error-catalog.js';

export interface OpenRequest {
  /** Authenticates and permits the request anew; throws an ApiError when it is refused. */
  check(): Promise<void>;
  /** Called once, with what `check` threw. */
  refused(error: ApiError): void;
}

export interface AccessWatch {
  /** Checks the request periodically until the returned function is called. */
  watch(request: OpenRequest): () => void;
  close(): void;
}

/** @param deps.clock real time: open requests do not follow the test clock */
export function createAccessWatch(deps: { clock: Clock; everyMs: number; log: Log }): AccessWatch {
  const { clock, everyMs, log } = deps;
  const open = new Set<OpenRequest>();
  let timer: Timer | null = null;
  let closed = false;

  const look = async (request: OpenRequest) => {
    try {
      await request.check();
    } catch (error) {
      // What cannot be checked now is checked the next time.
      if (!(error instanceof ApiError)) return log.error({ err: error }, 'an open request cannot be checked');
      if (open.delete(request)) request.refused(error);
    }
  };
  const round = async () => {
    for (const request of [...open]) if (open.has(request)) await look(request);
    timer = null;
    schedule();
  };
  const schedule = () => {
    if (closed || timer !== null || open.size === 0) return;
    timer = clock.setTimeout(() => void round(), everyMs);
  };
  return {
    watch(request) {
      open.add(request);
      schedule();
      return () => void open.delete(request);
    },
    close() {
      closed = true;
      open.clear();
      timer?.cancel();
    },
  };
}
