// Short deadlines for bodies of requests that are not authenticated (yet), and for the rest of a body after the
// response. Without them a slow sender could hold a connection for the time allowed to an upload.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../../shared/clock.js';

/**
 * @param deps.clock real time, because senders do not follow the test clock
 * @param deps.expired answers a request that has no answer yet, and closes its connection
 */
export function createBodyDeadline(deps: { clock: Clock; ms: number; expired(request: IncomingMessage): void }) {
  const { clock, ms, expired } = deps;
  const timers = new Map<IncomingMessage, Timer>();
  const lift = (request: IncomingMessage) => {
    timers.get(request)?.cancel();
    timers.delete(request);
  };
  return {
    /** Starts the deadline: the body must arrive within `ms`. Does nothing if there is no body or it has arrived. */
    start(request: IncomingMessage, response: ServerResponse): void {
      if (request.complete || !hasBody(request) || timers.has(request)) return;
      const timer = clock.setTimeout(() => {
        if (response.headersSent) request.destroy();
        else expired(request);
      }, ms);
      timers.set(request, timer);
      request.once('close', () => lift(request));
    },
    /** Ends the deadline once the sender is authenticated; the limits of the route apply. */
    lift,
    /** Ends all deadlines, when the server is closed. */
    close(): void {
      for (const request of timers.keys()) lift(request);
    },
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
