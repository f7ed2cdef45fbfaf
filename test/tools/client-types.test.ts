// The types of `cidermill/client`, as the compiler reads them, against the reference from which they are made.

import t from 'tap';
import ts from 'typescript';
import { closed } from '../harness/conformance.js';
import { startHarness } from '../harness/harness.js';

type Json = Record<string, unknown>;

const root = new URL('../../../', import.meta.url).pathname;

const agentTypes: Readonly<Record<string, string>> = {
  'GET /me': 'Me',
  'GET /account': 'Me',
  'GET /catalog': 'Catalog',
  'GET /pool': 'Pool',
  'GET /status': 'AgentStatus',
  'GET /queue': 'AgentQueue',
  'POST /quote': 'Quote',
  'POST /orders': 'Order',
  'GET /orders': 'OrderPage',
  'GET /orders/{order_no}': 'Order',
  'GET /orders/{order_no}/wait': 'Order',
  'GET /rentals': 'RentalList',
  'GET /rentals/{rental_id}': 'RentalDetail',
  'GET /rentals/{rental_id}/history': 'MacHistory',
  'PATCH /rentals/{rental_id}': 'AcceptedOperation',
  'POST /rentals/{rental_id}/extend/quote': 'ExtensionQuote',
  'POST /rentals/extend/quote': 'MultiExtensionQuote',
  'POST /rentals/{rental_id}/extend': 'Order',
  'POST /rentals/extend': 'Order',
  'POST /rentals/reset': 'OperationResults',
  'POST /rentals/{rental_id}/reset': 'AcceptedOperation',
  'POST /rentals/xcode': 'OperationResults',
  'POST /rentals/{rental_id}/xcode': 'AcceptedOperation',
  'GET /jobs/{job_id}': 'Job',
  'GET /waitlist': 'Waitlist',
  'POST /waitlist': 'WaitlistEntry',
  'DELETE /waitlist/{id}': 'WaitlistEntry',
  'POST /uploads': 'CreatedUpload',
  'GET /uploads/{id}': 'UploadStatus',
  'POST /uploads/tar': 'TarUpload',
  'POST /builds': 'CreatedBuild',
  'GET /builds': 'BuildPage',
  'GET /builds/{build_id}': 'Build',
  'PATCH /builds/{build_id}': 'Build',
  'GET /builds/{build_id}/failure': 'FailureReport',
  'GET /builds/{build_id}/wait': 'Build',
  'POST /builds/{build_id}/cancel': 'Build',
  'POST /builds/{build_id}/rerun': 'CreatedBuild',
  'GET /builds/{build_id}/log': 'LogSegment',
  'POST /uploads/{id}/blobs': 'StoredBlobs',
  'GET /secrets': 'SecretList',
  'PUT /secrets/{name}': 'Secret',
  'GET /errors': 'ErrorPage',
  'GET /webhooks': 'WebhookList',
  'GET /webhooks/{webhook_id}': 'Webhook',
  'POST /webhooks': 'RevealedWebhook',
  'PATCH /webhooks/{webhook_id}': 'Webhook',
  'POST /webhooks/{webhook_id}/rotate': 'RevealedWebhook',
  'POST /webhooks/{webhook_id}/test': 'Webhook',
  'GET /webhooks/{webhook_id}/deliveries': 'WebhookDeliveryPage',
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver': 'WebhookDelivery',
};

const runnerTypes: Readonly<Record<string, string>> = {
  'GET /v1/files': 'FilePage',
  'GET /v1/jobs/{job_id}/artifacts/{file_id}': 'ArtifactAddress',
};

/** Operations whose answers have no type of a name of their own, and why. */
const unnamedAnswers: Readonly<Record<string, string>> = {
  'POST /rentals/batch': 'for the console; programs use reset and xcode',
  'DELETE /secrets/{name}': 'a confirmation, in place',
  'DELETE /webhooks/{webhook_id}': 'a confirmation, in place',
  'POST /webhooks/{webhook_id}/redeliver': 'a count',
  'GET /openapi.json': 'the reference itself',
};

t.test('every field of an answer is in the client’s type, and the other way round', async (t) => {
  const { inject } = await startHarness(t);
  const program = ts.createProgram([`${root}client/types.ts`], {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: [],
  });
  const typeOf = createTypes(program);
  for (const [prefix, table] of [
    ['/api/v1', agentTypes],
    ['/api/runner', runnerTypes],
  ] as const) {
    const document = closed((await inject({ url: `${prefix}/openapi.json` })).json()) as Json;
    for (const [operation, name] of Object.entries(table)) {
      const schema = answerOf(document, operation);
      t.ok(schema, `${operation} answers JSON`);
      if (!schema) continue;
      const found = compare(program.getTypeChecker(), document, schema, typeOf(name), name);
      t.same([...new Set(found)], [], `${operation} is a ${name}`);
    }
  }
  const document = (await inject({ url: '/api/v1/openapi.json' })).json() as { paths: Record<string, Json> };
  const { paths } = document;
  const ownPaths = Object.entries(paths).filter(([, methods]) => !('servers' in methods));
  const operations = ownPaths.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  t.same(
    operations.filter((one) => answerOf(document, one) && !agentTypes[one] && !unnamedAnswers[one]),
    [],
    'no operation is forgotten',
  );
});

function createTypes(program: ts.Program): (name: string) => ts.Type {
  const checker = program.getTypeChecker();
  const found = new Map<string, ts.Type>();
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(`${root}client/`)) continue;
    const symbol = checker.getSymbolAtLocation(file);
    for (const exported of symbol ? checker.getExportsOfModule(symbol) : []) {
      found.set(exported.name, checker.getDeclaredTypeOfSymbol(exported));
    }
  }
  return (name) => {
    const type = found.get(name);
    if (!type) throw new Error(`the client has no type ${name}`);
    return type;
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** The schema of the JSON that an operation answers with 2xx. */
function answerOf(document: Json, operation: string): Json | null {
  const [method = '', path = ''] = operation.split(' ');
  const responses = at(document, 'paths', path, method.toLowerCase(), 'responses');
  for (const [status, response] of Object.entries(isObject(responses) ? responses : {})) {
    const schema = at(isObject(response) ? resolve(document, response) : {}, 'content', 'application/json', 'schema');
    if (status.startsWith('2') && isObject(schema)) return schema;
  }
  return null;
}

function resolve(document: Json, schema: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = at(document, ...$ref.slice(2).split('/'));
  return isObject(target) ? resolve(document, target) : {};
}

/** What differs, as sentences. */
function compare(
  checker: ts.TypeChecker,
  document: Json,
  given: Json,
  type: ts.Type,
  where: string,
  above: readonly Json[] = [],
): string[] {
  const schema = resolve(document, given);
  if (above.includes(schema)) return [];
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray)?.filter(isObject) ?? [schema];
  const shapes = variants.map((one) => resolve(document, one)).filter(({ type }) => type !== 'null');
  const nullable =
    shapes.length < variants.length ||
    [schema.type, schema.enum].some((of) => Array.isArray(of) && (of.includes('null') || of.includes(null)));
  const found = nullable && !acceptsNull(type) ? [`${where}: may be null`] : [];
  const bare = checker.getNonNullableType(type);
  const [shape] = shapes;
  // Variants of one kind are told apart by their values, which no single type repeats.
  if (!shape || shapes.length > 1) return found;
  const values =
    'const' in shape ? [shape.const] : Array.isArray(shape.enum) ? shape.enum.filter((one) => one !== null) : null;
  if (values) return [...found, ...unnamed(bare, values).map((value) => `${where}: may be ${value}`)];
  if (shape.type === 'array' && isObject(shape.items)) {
    const item = checker.getIndexTypeOfType(bare, ts.IndexKind.Number);
    if (!item) return [...found, `${where}: is an array`];
    return [...found, ...compare(checker, document, shape.items, item, `${where}[]`, [...above, schema])];
  }
  if (!isObject(shape.properties)) return found;
  const required = Array.isArray(shape.required) ? shape.required : [];
  const names = new Set([...Object.keys(shape.properties), ...bare.getProperties().map(({ name }) => name)]);
  for (const name of names) {
    const property = bare.getProperty(name);
    const inner = shape.properties[name];
    const optional = property !== undefined && (property.flags & ts.SymbolFlags.Optional) !== 0;
    if (!property) found.push(`${where}.${name}: is not in the client`);
    else if (!isObject(inner)) {
      if (!optional) found.push(`${where}.${name}: is not in the answer`);
    } else {
      if (!required.includes(name) && !optional) found.push(`${where}.${name}: may be absent`);
      const of = checker.getTypeOfSymbol(property);
      found.push(...compare(checker, document, inner, of, `${where}.${name}`, [...above, schema]));
    }
  }
  return found;
}

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

const acceptsNull = (type: ts.Type) =>
  partsOf(type).some(({ flags }) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Unknown)) !== 0);

/** Values that a type of literals does not list; a plain string or number takes them all. */
function unnamed(type: ts.Type, values: readonly unknown[]): unknown[] {
  const parts = partsOf(type);
  if (parts.some(({ flags }) => (flags & (ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.Boolean)) !== 0)) {
    return [];
  }
  const literals = parts.map((part) =>
    'value' in part ? part.value : String((part as { intrinsicName?: unknown }).intrinsicName),
  );
  return values.filter((value) => !literals.includes(value) && !literals.includes(String(value)));
}
