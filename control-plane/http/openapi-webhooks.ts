// The part of the reference that is about requests which the service sends: one entry for each kind of event.
import { eventMeanings, eventShapes, webhookEventShape } from '../domain/event-payload.js';
import { TEST_EVENT } from '../domain/webhook.js';
import type { Json, ToSchema } from './json-schema.js';

/** @returns the `webhooks` of an OpenAPI 3.1 document */
export function webhooksSection(toSchema: ToSchema): Json {
  // Nothing else refers to the event as a whole, but receivers want a name for it.
  toSchema(webhookEventShape, 'output');
  return Object.fromEntries(
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
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** One shape may serve several kinds. */
const ofKind = (kind: string, schema: unknown) => ({
  allOf: [schema, { properties: { event_type: { const: kind } } }],
});

const text = (pattern: string) => ({ type: 'string', pattern });

function headers(kind: string): Json[] {
  const header = (name: string, schema: Json, description: string, required = true) => ({
    ...{ name, in: 'header', required, description, schema },
  });
  return [
    header('x-svc-event', { const: kind }, 'As in the body'),
    header(
      'x-svc-event-id',
      text('^evt_'),
      'As in the body; the same on every attempt and for every receiver',
    ),
    header('x-svc-delivery', text('^dl_'), 'This event to this receiver; the same on every attempt'),
    header('x-svc-timestamp', text('^[0-9]+$'), 'Seconds since the epoch, of this attempt'),
    header(
      'x-svc-signature',
      text('^sha256=[0-9a-f]{64}$'),
      'HMAC-SHA256 over `<x-svc-timestamp>.<raw bytes of the body>`; the key is the whole text of the secret',
    ),
    header(
      'x-svc-signature-previous',
      text('^sha256=[0-9a-f]{64}$'),
      'By the secret before, for a time after a rotation',
      false,
    ),
  ];
}

const again = {
  description:
    'It is tried again after 10 s, 30 s, 2 min, 10 min and 30 min, later if the answer asks for it',
  headers: {
    'Retry-After': { description: 'Seconds, or an HTTP date', schema: { type: 'string' } },
  },
};

const answers = {
  '2XX': { description: 'It has arrived; to be answered within 10 seconds' },
  '410': { description: 'Nothing more is wanted: the webhook is disabled' },
  '429': again,
  '5XX': again,
  default: { description: 'Any other answer is final, redirects among them' },
};

const answersToTests = {
  '2XX': { description: 'The webhook is enabled' },
  default: { description: 'The webhook is disabled until a test is answered with 2xx' },
};
