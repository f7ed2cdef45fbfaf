// A local receiver of webhooks: records requests and answers as configured.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Test } from 'tap';
import { signatureOf } from '../../control-plane/platform/domain/webhook-signature.js';
import { listening } from './listening.js';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body: an event, except for test requests. */
  readonly body: {
    event_id: string;
    event_type: string;
    sequence: number;
    build: Record<string, unknown> | null;
    stall: Record<string, unknown> | null;
  };
}

export interface Receiver {
  readonly url: string;
  /** All requests, oldest first. */
  readonly got: Received[];
  /** The received events without test events, as `sequence:type`. */
  events(): string[];
  /** Sets the response from now on; a promise delays it, `null` never answers. */
  answer: (received: Received) => Answer | null | Promise<Answer | null>;
  /** Closes all connections. */
  hangUp(): void;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** @param note called with every request, including those later removed from `got` */
export async function startReceiver(
  t: Test,
  answer: Receiver['answer'] = () => ({ status: 200 }),
  note: (received: Received) => void = () => undefined,
): Promise<Receiver> {
  const server = createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const received: Received = {
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: JSON.parse(text) as Received['body'],
    };
    self.got.push(received);
    note(received);
    const answered = await self.answer(received);
    if (answered) reply.writeHead(answered.status, answered.headers).end(answered.body);
  });
  const port = await listening(t, server);
  const self: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    got: [],
    events: () =>
      self.got
        .filter(({ body }) => body.event_type !== 'webhook.test')
        .map(({ body }) => `${body.sequence}:${body.event_type}`),
    answer,
    hangUp: () => server.closeAllConnections(),
  };
  return self;
}

/** Returns which of the two signature headers were made with the secret. */
export function signedBy(secret: string, { headers, text }: Received): string[] {
  const expected = signatureOf(secret, Number(headers['x-svc-timestamp']), text);
  return ['x-svc-signature', 'x-svc-signature-previous'].filter((name) => headers[name] === expected);
}
