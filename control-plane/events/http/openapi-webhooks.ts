// The section of the OpenAPI document about requests that the service sends: one entry per kind of event.

import { spanOf } from '../../../shared/amounts.js';
import { TEST_EVENT } from '../../builds/domain/event.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Json, ToSchema } from '../../platform/http/json-schema.js';
import type { WebhooksPart } from '../../platform/http/openapi.js';
import { RETRY_GAPS_MS } from '../domain/delivery.js';
import { eventShapes, webhookEventShape } from '../domain/event.js';

/** All events have the same headers and responses, so they share one path item. */
export const webhooksSection =
  (limits: Pick<Limits, 'webhook_timeout_ms'>) =>
  (toSchema: ToSchema): WebhooksPart => {
    // Nothing else refers to the whole event, but receivers need a name for the type.
    toSchema(webhookEventShape, 'output');
    const kinds = [...eventShapes.keys()].filter((kind) => kind !== TEST_EVENT);
    const oneOf = [...new Set(kinds.map((kind) => eventShapes.get(kind)))].map((shape) => toSchema(shape!, 'output'));
    const test = eventShapes.get(TEST_EVENT)!;
    return {
      section: {
        ...Object.fromEntries(kinds.map((kind) => [kind, { $ref: '#/components/pathItems/AccountEvent' }])),
        [TEST_EVENT]: receiver(ABOUT_TESTS, { const: TEST_EVENT }, toSchema(test, 'output'), answersToTests),
      },
      pathItems: { AccountEvent: receiver(ABOUT_EVENTS, { enum: kinds }, { oneOf }, answers) },
      parameters: sharedHeaders,
      responses: sharedAnswers(limits),
    };
  };

const ABOUT_EVENTS = 'An event: `event_type`, one WebhookEventType, is the name of the webhook';
const ABOUT_TESTS = 'A test of the webhook. Sent at registration, when the address changes, and by request.';

const receiver = (summary: string, kind: Json, schema: unknown, responses: Json): Json => ({
  post: {
    summary,
    security: [],
    parameters: [
      header('x-svc-event', kind, 'The `event_type`'),
      ...Object.keys(sharedHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses,
  },
});

const text = (pattern: string) => ({ type: 'string', pattern });

const header = (name: string, schema: Json, description: string, required = true) => ({
  name,
  in: 'header',
  ...(required ? { required } : {}),
  description,
  schema,
});

const sharedHeaders = {
  EventId: header('x-svc-event-id', text('^evt_'), 'As in the body. The same on every attempt and for every receiver.'),
  Delivery: header(
    'x-svc-delivery',
    text('^dl_'),
    'Identifies the event for this receiver. The same on every attempt.',
  ),
  Timestamp: header('x-svc-timestamp', text('^[0-9]+$'), 'Time of this attempt, in seconds since the epoch'),
  Signature: header(
    'x-svc-signature',
    text('^sha256=[0-9a-f]{64}$'),
    'HMAC-SHA256 over `<x-svc-timestamp>.<raw bytes of the body>`; the key is the whole text of the secret',
  ),
  PreviousSignature: header(
    'x-svc-signature-previous',
    text('^sha256=[0-9a-f]{64}$'),
    'Signature with the previous secret. Sent during the grace period after a rotation.',
    false,
  ),
};

const answer = (name: keyof ReturnType<typeof sharedAnswers>) => ({ $ref: `#/components/responses/${name}` });

const delays = RETRY_GAPS_MS.map(spanOf);

const sharedAnswers = ({ webhook_timeout_ms }: Pick<Limits, 'webhook_timeout_ms'>) => ({
  Received: { description: `Received; answer within ${spanOf(webhook_timeout_ms)}` },
  NothingMore: { description: 'No more deliveries: the webhook is disabled' },
  TriedAgain: {
    description:
      `Retried after ${delays[0]} to ${delays.at(-1)}, or as \`Retry-After\` says. ` +
      `The delays are ${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}; \`Retry-After\` can make them longer.`,
    headers: {
      'Retry-After': { description: 'Seconds or an HTTP date', schema: { type: 'string' } },
    },
  },
  FinalAnswer: { description: 'Any other answer is final, including redirects' },
});

const answers = {
  '2XX': answer('Received'),
  '410': answer('NothingMore'),
  '429': answer('TriedAgain'),
  '5XX': answer('TriedAgain'),
  default: answer('FinalAnswer'),
};

const answersToTests = {
  '2XX': { description: 'The webhook is enabled' },
  default: { description: 'The webhook is disabled until a test is answered with 2xx' },
};
