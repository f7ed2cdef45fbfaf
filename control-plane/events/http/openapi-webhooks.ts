// The part of the reference that is about requests which the service sends: one entry for each kind of event.

import { TEST_EVENT } from '../../builds/domain/event.js';
import { eventMeanings, eventShapes, webhookEventShape } from '../../builds/domain/event-payload.js';
import type { Json, ToSchema } from '../../platform/http/json-schema.js';

export interface WebhooksPart {
  /** The `webhooks` of an OpenAPI 3.1 document. */
  readonly section: Json;
  /** Components that it refers to. */
  readonly parameters: Json;
  readonly responses: Json;
}

export function webhooksSection(toSchema: ToSchema): WebhooksPart {
  // Nothing else refers to the event as a whole, but receivers want a name for it.
  toSchema(webhookEventShape, 'output');
  const section = Object.fromEntries(
    Object.entries(eventShapes).map(([kind, shape]) => [
      kind,
      {
        post: {
          operationId: `receive_${kind.replace('.', '_')}`,
          summary: sentence(eventMeanings[kind as keyof typeof eventMeanings]),
          security: [],
          parameters: headers(kind),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: ofKind(kind, toSchema(shape, 'output')) } },
          },
          responses: kind === TEST_EVENT ? answersToTests : answers,
        },
      },
    ]),
  );
  return { section, parameters: sharedHeaders, responses: sharedAnswers };
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** One shape may serve several kinds. */
const ofKind = (kind: string, schema: unknown) => ({
  allOf: [schema, { properties: { event_type: { const: kind } } }],
});

const text = (pattern: string) => ({ type: 'string', pattern });

const header = (name: string, schema: Json, description: string, required = true) => ({
  ...{ name, in: 'header', required, description, schema },
});

const sharedHeaders = {
  EventId: header(
    'x-svc-event-id',
    text('^evt_'),
    'As in the body; the same on every attempt and for every receiver',
  ),
  Delivery: header('x-svc-delivery', text('^dl_'), 'This event to this receiver; the same on every attempt'),
  Timestamp: header('x-svc-timestamp', text('^[0-9]+$'), 'Seconds since the epoch, of this attempt'),
  Signature: header(
    'x-svc-signature',
    text('^sha256=[0-9a-f]{64}$'),
    'HMAC-SHA256 over `<x-svc-timestamp>.<raw bytes of the body>`; the key is the whole text of the secret',
  ),
  PreviousSignature: header(
    'x-svc-signature-previous',
    text('^sha256=[0-9a-f]{64}$'),
    'By the secret before, for a time after a rotation',
    false,
  ),
};

const headers = (kind: string): Json[] => [
  header('x-svc-event', { const: kind }, 'As in the body'),
  ...Object.keys(sharedHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
];

const answer = (name: keyof typeof sharedAnswers) => ({ $ref: `#/components/responses/${name}` });

const sharedAnswers = {
  Received: { description: 'It has arrived; to be answered within 10 seconds' },
  NothingMore: { description: 'Nothing more is wanted: the webhook is disabled' },
  TriedAgain: {
    description:
      'It is tried again after 10 s, 30 s, 2 min, 10 min and 30 min, later if the answer asks for it',
    headers: {
      'Retry-After': { description: 'Seconds, or an HTTP date', schema: { type: 'string' } },
    },
  },
  FinalAnswer: { description: 'Any other answer is final, redirects among them' },
};

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
