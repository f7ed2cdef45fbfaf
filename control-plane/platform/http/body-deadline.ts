// Bodies that nobody waits for must arrive soon: those of requests whose sender is not authenticated (yet), and the rest of
// a body whose request has been answered already. Otherwise a slow sender holds a connection for as long as an upload may
// take.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../../shared/clock.js';

export interface BodyDeadline {
  /** Gives the body of the request `ms` from now. Does nothing if there is none, or it has arrived. */
  start(request: IncomingMessage, response: ServerResponse): void;
  /** The sender is authenticated: the limits of the route hold. */
  lift(request: IncomingMessage): void;
}

/**
 * @param deps.clock real time: senders do not follow the test clock
 * @param deps.expired answers a request that has no answer yet, and closes its connection
 */
export function createBodyDeadline(deps: {
  clock: Clock;
  ms: number;
  expired(request: IncomingMessage): void;
}): BodyDeadline {
  const { clock, ms, expired } = deps;
  const timers = new WeakMap<IncomingMessage, Timer>();
  const lift = (request: IncomingMessage) => {
    timers.get(request)?.cancel();
    timers.delete(request);
  };
  return {
    start(request, response) {
      if (request.complete || !hasBody(request) || timers.has(request)) return;
      const timer = clock.setTimeout(() => {
        if (response.headersSent) request.destroy();
        else expired(request);
      }, ms);
      timers.set(request, timer);
      request.once('close', () => lift(request));
    },
    lift,
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
