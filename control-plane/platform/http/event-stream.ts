// Server-sent events: responses that stay open. A reader that does not take what it is sent is dropped, so a stream
// never holds more than what the socket has accepted and one event.
import { Readable } from 'node:stream';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { RouteReply } from './route.js';

/** Content type of the response. */
export const EVENT_STREAM = 'text/event-stream';

export type EventStreams = ReturnType<typeof createEventStreams>;

/** @example eventOf('change', { nouns: ['builds'] }) // 'event: change\ndata: {"nouns":["builds"]}\n\n' */
export const eventOf = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * @param clock real time: connections do not follow the test clock
 * @param beatMs how often each stream sends the event `beat`, which says that it is alive, to the page and to proxies
 */
export function createEventStreams(clock: Clock, beatMs: number) {
  const beatEvent = eventOf('beat', { every_ms: beatMs });
  const open = new Set<(text: string) => void>();
  let timer: Timer | null = null;
  const beat = () => {
    for (const send of [...open]) send(beatEvent);
    timer = open.size > 0 ? clock.setTimeout(beat, beatMs) : null;
  };

  return {
    /**
     * Opens a stream that ends when `signal` aborts.
     *
     * @param subscribe starts to send events as text of the format (see `eventOf`); returns a function that stops it,
     *   which is called once when the stream ends
     */
    open(signal: AbortSignal, subscribe: (send: (event: string) => void) => () => void): RouteReply {
      const body = new Readable({ read: () => undefined, highWaterMark: 1 });
      const send = (text: string) => {
        // The connection has not taken the event before this one.
        if (body.readableLength > 0) body.destroy();
        else body.push(text);
      };
      const end = () => body.push(null);
      const unsubscribe = subscribe(send);
      open.add(send);
      timer ??= clock.setTimeout(beat, beatMs);
      body.once('close', () => {
        open.delete(send);
        signal.removeEventListener('abort', end);
        unsubscribe();
      });
      // The first bytes, so that the browser knows at once that the stream is open.
      body.push(beatEvent);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
      return {
        status: 200,
        type: EVENT_STREAM,
        // Keeps proxies from buffering.
        headers: { 'x-accel-buffering': 'no' },
        flush: true,
        body,
      };
    },
    close(): void {
      timer?.cancel();
      timer = null;
    },
  };
}
