// The client's types are made from the shapes that the service answers with: the file is what the generator writes now,
// and the compiler holds it against the shapes themselves.
// Runs in: soak

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { z } from 'zod';
import type * as client from '../../../client/index.js';
import type { meShape } from '../../../control-plane/access/http/account-view.js';
import type { eventPayload, testPayload } from '../../../control-plane/builds/domain/event-payload.js';
import type { secretListShape, secretShape } from '../../../control-plane/builds/http/api-secrets.js';
import type {
  buildPageShape,
  buildShape,
  failureShape,
  submittedShape,
} from '../../../control-plane/builds/http/build-view.js';
import type { fileShape } from '../../../control-plane/builds/http/file-view.js';
import type { webhookEventShape } from '../../../control-plane/events/domain/event.js';
import type {
  deliveryListShape,
  revealedWebhookShape,
  webhookListShape,
} from '../../../control-plane/events/http/webhooks-view.js';
import type { jobShape } from '../../../control-plane/macs/http/jobs-view.js';
import type {
  changeShape,
  macResultShape,
  macResultsShape,
} from '../../../control-plane/macs/http/maintenance-view.js';
import type { errorListShape } from '../../../control-plane/platform/http/errors-view.js';
import type { catalogShape, poolShape } from '../../../control-plane/renting/http/catalog-view.js';
import type { macShape } from '../../../control-plane/renting/http/mac-view.js';
import type { orderListShape, orderShape } from '../../../control-plane/renting/http/order-view.js';
import type {
  extensionQuoteShape,
  multiQuoteShape,
  quoteShape,
} from '../../../control-plane/renting/http/quote-view.js';
import type { macDetailShape, rentalListShape } from '../../../control-plane/renting/http/rental-view.js';
import type { waitlistShape } from '../../../control-plane/renting/http/waitlist-view.js';
import type { statusShape } from '../../../control-plane/start/http/status-view.js';
import type {
  createdUploadShape,
  tarUploadShape,
  uploadManifestShape,
  uploadStatusShape,
} from '../../../control-plane/uploads/http/upload-view.js';
import { clientTypes } from '../../../tools/client-types/client-types.js';
import { type Documents, readDocuments } from '../../../tools/client-types/documents.js';
import { root } from '../../../tools/client-types/format.js';
import { generatedFiles } from '../../../tools/client-types/generated-files.js';
import { comment, typeText } from '../../../tools/client-types/print-type.js';

t.test('the generated files are what `npm run generate` writes now', async (t) => {
  for (const [path, text] of Object.entries(generatedFiles(await readDocuments()))) {
    t.equal(readFileSync(join(root, path), 'utf8'), text, `${path}: after a change of a route, npm run generate`);
  }
});

/** What arrives: JSON has no undefined. */
type Sent<T> = T extends readonly (infer Item)[]
  ? Sent<Item>[]
  : T extends object
    ? { [Key in keyof T]: Sent<Exclude<T[Key], undefined>> }
    : T;

/** Only true can be written where the shape's answers are of the type. */
type Is<Shape extends z.ZodType, Type> = Sent<z.output<Shape>> extends Type ? true : never;
/** Only true can be written where the service takes what the type allows. */
type Takes<Shape extends z.ZodType, Type> = Type extends z.input<Shape> ? true : never;

t.test('answers of the service have the types of the client', async (t) => {
  const answers: [
    Is<typeof meShape, client.Me>,
    Is<typeof catalogShape, client.Catalog>,
    Is<typeof poolShape, client.Pool>,
    Is<typeof statusShape, client.AgentStatus>,
    Is<typeof quoteShape, client.Quote>,
    Is<typeof orderShape, client.Order>,
    Is<typeof orderListShape, client.OrderPage>,
    Is<typeof macShape, client.AgentMac>,
    Is<typeof rentalListShape, client.RentalList>,
    Is<typeof macDetailShape, client.RentalDetail>,
    Is<typeof extensionQuoteShape, client.ExtensionQuote>,
    Is<typeof multiQuoteShape, client.MultiExtensionQuote>,
    Is<typeof changeShape, client.AcceptedOperation>,
    Is<typeof changeShape, client.OperationResult>,
    Is<typeof macResultShape, client.OperationResult>,
    Is<typeof macResultsShape, client.OperationResults>,
    Is<typeof jobShape, client.Job>,
    Is<typeof waitlistShape, client.Waitlist>,
    Is<typeof buildShape, client.Build>,
    Is<typeof failureShape, client.BuildFailure>,
    Is<typeof submittedShape, client.CreatedBuild>,
    Is<typeof buildPageShape, client.BuildPage>,
    Is<typeof secretListShape, client.SecretList>,
    Is<typeof secretShape, client.Secret>,
    Is<typeof errorListShape, client.ErrorPage>,
    Is<typeof createdUploadShape, client.CreatedUpload>,
    Is<typeof createdUploadShape, client.Upload>,
    Is<typeof uploadStatusShape, client.UploadStatus>,
    Is<typeof tarUploadShape, client.TarUpload>,
    Is<typeof webhookListShape, client.WebhookList>,
    Is<typeof revealedWebhookShape, client.RevealedWebhook>,
    Is<typeof deliveryListShape, client.WebhookDeliveryPage>,
    Is<typeof fileShape, client.WorkspaceFile>,
    Is<typeof webhookEventShape, client.WebhookEvent>,
    ReturnType<typeof eventPayload> extends client.WebhookEvent ? true : never,
    ReturnType<typeof testPayload> extends client.WebhookEvent ? true : never,
    Takes<typeof uploadManifestShape, client.UploadManifest>,
  ] = Array(37).fill(true) as never;
  t.equal(answers.length, 37);
});

t.test('lists that may grow are open, and the others closed', async (t) => {
  const grown: client.EndReason = 'swallowed_by_a_whale';
  const known: client.EndReason = 'timeout';
  // @ts-expect-error a status that there is not
  const status: client.BuildStatus = 'paused';
  t.same([grown, known, status], ['swallowed_by_a_whale', 'timeout', 'paused']);
});

t.test('an event of a kind has what that kind has', async (t) => {
  const consoleOf = (event: client.WebhookEvent): string => {
    if (event.build === null) return 'none';
    return event.event_type === 'build.stalled' ? event.stall.reason : event.build.console_url;
  };
  const head = { schema_version: 1, event_id: 'evt_1', occurred_at: '2026-03-01T00:00:00.000Z' } as const;
  t.equal(consoleOf({ ...head, event_type: 'webhook.test', sequence: 0, build: null, stall: null }), 'none');
});

t.test('types and comments of the generator', async (t) => {
  const table: [object, string][] = [
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ anyOf: [{ $ref: '#/components/schemas/Mac' }, { type: 'null' }] }, 'Mac | null'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Mac' } }, 'Mac[]'],
    [{ type: 'string', 'x-extensible-enum': ['a'] }, '"a" | (string & {})'],
    [{ type: 'number', enum: [0, 1] }, '0 | 1'],
    [{ type: 'string', const: 'now' }, '"now"'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
    [{ type: 'object', properties: {}, additionalProperties: {} }, 'Record<string, unknown>'],
    [
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
      '{\na: string;\nb?: unknown;\n}',
    ],
    [{}, 'unknown'],
  ];
  for (const [schema, text] of table) t.equal(typeText(schema), text);
  t.equal(comment(null), '');
  t.equal(comment('Minutes', '1 to 360'), '/** Minutes. 1 to 360. */\n');
  t.equal(comment('Ends\n\n- `a`: one', 'or not'), '/**\n * Ends. or not.\n * - `a`: one\n */\n');
  t.notMatch(comment('never */ ends'), /\*\/.*\*\//, 'a text cannot end its comment');
});

t.test('the generator refuses what it could not say truly', async (t) => {
  const shape = (properties: object) => ({ type: 'object', properties, required: [] });
  const answer = (name: string) => ({
    get: {
      responses: {
        200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
      },
    },
  });
  const document = (paths: object, schemas: object) => ({ paths, components: { schemas } }) as Documents['api'];
  const builds = document({ '/b': answer('CreatedBuild') }, { CreatedBuild: shape({}), Build: shape({ id: {} }) });
  t.throws(() => clientTypes({ api: builds, console: {}, operator: {} }), /CreatedBuild does not hold Build\.id/);
  const one = document({}, { Mac: shape({ a: {} }) });
  const other = document({}, { Mac: shape({ b: {} }) });
  t.throws(() => clientTypes({ api: one, console: other, operator: {} }), /both APIs have a Mac/);
});
