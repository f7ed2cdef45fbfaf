// The operations and types of `cidermill/client`, as the compiler reads them, against the reference from which they are made.
// Runs in: soak
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import ts from 'typescript';
import { z } from 'zod';
import * as api from '../../client/operations/api.js';
import * as console from '../../client/operations/console.js';
import { findOperation } from '../../client/operations/find-operation.js';
import type { Operation } from '../../client/operations/operation.js';
import * as operator from '../../client/operations/operator.js';
import { createSchemas } from '../../control-plane/platform/http/json-schema.js';
import { isObject } from '../../shared/is-object.js';
import { clientTypes } from '../../tools/client-types/client-types.js';
import { closed } from '../harness/conformance.js';
import { startHarness } from '../harness/harness.js';

type Json = Record<string, unknown>;

const root = new URL('../../../', import.meta.url).pathname;

const apis: readonly (readonly [prefix: string, file: string, operations: Readonly<Record<string, Operation>>])[] = [
  ['/api/v1', 'api', api],
  ['/api/runner', 'console', console],
  ['/api/operator', 'operator', operator],
];

t.test('every field of an answer is in the type of its operation, and the other way round', async (t) => {
  const { inject } = await startHarness(t);
  const program = ts.createProgram(
    apis.map(([, file]) => `${root}client/operations/${file}.ts`),
    {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts'],
      types: [],
    },
  );
  const checker = program.getTypeChecker();
  for (const [prefix, file, operations] of apis) {
    const document = closed((await inject({ url: `${prefix}/openapi.json` })).json()) as Json;
    const answers = answersOf(program, `${root}client/operations/${file}.ts`);
    for (const [id, { method, path }] of Object.entries(operations)) {
      const schema = answerOf(document, method, path);
      const type = answers.get(id);
      if (!schema || !type) continue;
      t.same([...new Set(compare(checker, document, schema, type, id))], [], `${method} ${path}`);
    }
    const known = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    t.same(known.sort(), answering(document).sort(), 'no operation is forgotten');
  }
});

t.test('the client sends every operation of the API', async (t) => {
  const folder = `${root}client/api/`;
  const texts = readdirSync(folder).map((name) => readFileSync(folder + name, 'utf8'));
  /** Those that it does not, and why. */
  const left: Partial<Record<keyof typeof api, string>> = {
    getAccount: 'the same as getMe',
    changeRentals: 'for the console; programs use reset and xcode',
    getReference: 'the reference itself',
  };
  const unsent = Object.keys(api).filter((id) => !texts.some((text) => new RegExp(`\\b${id}\\b`).test(text)));
  t.same(unsent.sort(), Object.keys(left).sort());
});

t.test('a suggested request leads to its operation', async (t) => {
  for (const [id, { method, path }] of Object.entries<Operation>(api)) {
    const params = [...path.matchAll(/\{\w+\}/g)].map((_, index) => `id ${index}`);
    const filled = params.reduce((text, value) => text.replace(/\{\w+\}/, encodeURIComponent(value)), path);
    for (const root of ['/api/v1', 'https://macs.example/api/v1']) {
      t.match(
        findOperation({ method, path: `${root}${filled}?limit=1` }),
        { id, params },
        `${method} ${root}${filled}`,
      );
    }
  }
  t.equal(findOperation({ method: 'DELETE', path: '/api/v1/rentals/reset' }), null);
  t.equal(findOperation({ method: 'GET', path: '/agent-start.md' }), null);
});

t.test('null stays in a type, whether the shape has its name before or after `nullable`', async (t) => {
  const { toSchema, components } = createSchemas('full');
  const named = { object: z.object({ a: z.string() }), values: z.enum(['a', 'b']), list: z.array(z.int()) };
  const answer = z.object({
    before: named.object.meta({ id: 'Before' }).nullable(),
    object: named.object.nullable().meta({ id: 'MaybeObject', description: 'With a comment' }),
    optional: named.object.nullable().meta({ id: 'Optional' }).optional(),
    values: named.values.nullable().meta({ id: 'MaybeValue' }),
    open: named.values.meta({ 'x-open': true }).nullable().meta({ id: 'MaybeOpen' }),
    list: named.list.nullable().meta({ id: 'MaybeList' }),
    record: z.record(z.string(), z.int()).nullable().meta({ id: 'MaybeRecord' }),
    literal: z.literal('x').nullable().meta({ id: 'MaybeLiteral' }),
    text: z.string().nullable().meta({ id: 'MaybeText' }),
    union: z.union([named.object, z.string()]).nullable().meta({ id: 'MaybeUnion' }),
  });
  const content = { 'application/json': { schema: toSchema(answer.meta({ id: 'Answer' }), 'output') } };
  const none = { paths: {}, components: { schemas: {} } };
  const texts = clientTypes({
    api: {
      paths: { '/x': { get: { operationId: 'getX', summary: 'x', responses: { 200: { content } } } } },
      components: { schemas: { ...components, WebhookEvent: { type: 'object', properties: {} } }, pathItems: {} },
    },
    console: none,
    operator: none,
  });
  const path = '/null.ts';
  const host = ts.createCompilerHost({});
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(path, texts, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], { strict: true, lib: ['lib.es5.d.ts'], types: [] }, host);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const exported = file && checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
  const answers = exported?.find(({ name }) => name === 'Answer');
  if (!answers) throw new Error('there is no type Answer');
  const fields = checker.getDeclaredTypeOfSymbol(answers).getProperties();
  t.same(fields.map(({ name }) => name).sort(), Object.keys(answer.shape).sort());
  for (const field of fields) t.ok(acceptsNull(checker.getTypeOfSymbol(field)), `${field.name} may be null`);
});

/** The types of what the operations of a file answer, by their ids. */
function answersOf(program: ts.Program, path: string): Map<string, ts.Type> {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const symbol = file && checker.getSymbolAtLocation(file);
  if (!symbol) throw new Error(`${path} was not read`);
  return new Map(
    checker.getExportsOfModule(symbol).map((exported) => {
      const called = checker.getTypeOfSymbol(exported).getProperty('called');
      const type = called && checker.getNonNullableType(checker.getTypeOfSymbol(called));
      const [signature] = type?.getCallSignatures() ?? [];
      if (!signature) throw new Error(`${exported.name} has no type`);
      return [exported.name, signature.getReturnType()];
    }),
  );
}

const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** Every operation of the document that has an answer; the others are retired, or of another API. */
function answering(document: Json): string[] {
  const paths = at(document, 'paths');
  return Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
    at(methods, 'servers') !== undefined || !isObject(methods)
      ? []
      : Object.entries(methods)
          .filter(([, operation]) => Object.keys(at(operation, 'responses') ?? {}).some((status) => status < '4'))
          .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

/** The schema of the JSON that an operation answers with 2xx. */
function answerOf(document: Json, method: string, path: string): Json | null {
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

/** Returns the differences as sentences. */
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
