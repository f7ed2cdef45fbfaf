// Ends long polls and streams whose caller has lost access: the key was revoked or has expired, the account was
// suspended, or the person signed out. Detects changes made by other processes too.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../domain/error-catalog.js';

export interface OpenRequest {
  /** Authenticates and authorizes the request again; throws an ApiError if it is refused. */
  check(): Promise<unknown>;
  /** Called at most once, with the error that `check` threw. */
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
      // On any other failure, e.g. of the database, retry in the next round.
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
