// Ends long polls and streams whose caller has lost access: the key was revoked or has expired, the account was
// suspended, or the person signed out. Detects changes made by other processes too.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../domain/error-catalog.js';

export interface OpenRequest {
  /**
   * Identical requests of the same caller, e.g. of several tabs, have the same text, and one check is enough for them.
   */
  readonly alike: string;
  /** Authenticates and authorizes the request again; throws an ApiError if it is refused. */
  check(): Promise<unknown>;
  /** Called at most once, with the error that `check` threw. */
  refused(error: ApiError): void;
}

export type AccessWatch = ReturnType<typeof createAccessWatch>;

/** @param deps.clock real time: open requests do not follow the test clock */
export function createAccessWatch(deps: { clock: Clock; everyMs: number; log: Log }) {
  const { clock, everyMs, log } = deps;
  const open = new Set<OpenRequest>();
  let timer: Timer | null = null;
  let closed = false;

  /** Returns why the request is refused, or null. */
  const look = async (request: OpenRequest): Promise<ApiError | null> => {
    try {
      await request.check();
    } catch (error) {
      if (error instanceof ApiError) return error;
      // On any other failure, e.g. of the database, retry in the next round.
      log.error({ err: error }, 'an open request cannot be checked');
    }
    return null;
  };
  const round = async () => {
    const looked = new Map<string, ApiError | null>();
    for (const request of [...open]) {
      if (!open.has(request)) continue;
      const known = looked.get(request.alike);
      const refusal = known === undefined ? await look(request) : known;
      looked.set(request.alike, refusal);
      if (refusal !== null && open.delete(request)) request.refused(refusal);
    }
    timer = null;
    schedule();
  };
  const schedule = () => {
    if (closed || timer !== null || open.size === 0) return;
    timer = clock.setTimeout(() => void round(), everyMs);
  };
  return {
    /** Checks the request periodically until the returned function is called. */
    watch(request: OpenRequest): () => void {
      open.add(request);
      schedule();
      return () => void open.delete(request);
    },
    close(): void {
      closed = true;
      open.clear();
      timer?.cancel();
    },
  };
}
