import fc from 'fast-check';
import t from 'tap';
import { z } from 'zod';
import { serializerOf, serializerSchema } from '../../control-plane/platform/http/response-schema.js';
import { anyCharacter } from '../harness/any-character.js';

const inner = z.object({ a: z.string(), b: z.int().nullable() }).meta({ id: 'InnerOfTest' });
const shape = z.object({
  text: z.string().max(600),
  maybe: z.string().nullable(),
  count: z.int().min(0),
  ratio: z.number().nullable(),
  yes: z.boolean(),
  day: z.literal(1),
  kind: z.enum(['x', 'y']),
  kinds: z.enum(['x', 'y']).nullable(),
  inner,
  innerMaybe: inner.nullable(),
  list: z.array(inner),
  listMaybe: z.array(z.string()).nullable(),
  optional: z.string().optional(),
  optionalInner: inner.optional(),
  free: z.record(z.string(), z.unknown()),
  either: z.union([z.string(), z.int()]),
  tagged: z.discriminatedUnion('type', [
    z.object({ type: z.literal('n'), n: z.int() }),
    z.object({ type: z.literal('s'), s: z.string() }),
  ]),
});

const arbitraryInner = fc.record({ a: fc.string(), b: fc.option(fc.maxSafeInteger()) });
const arbitrary: fc.Arbitrary<z.infer<typeof shape>> = fc.record(
  {
    text: fc.string({ unit: anyCharacter }),
    maybe: fc.option(fc.string()),
    count: fc.nat(),
    ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n))),
    yes: fc.boolean(),
    day: fc.constant(1 as const),
    kind: fc.constantFrom('x' as const, 'y' as const),
    kinds: fc.option(fc.constantFrom('x' as const, 'y' as const)),
    inner: arbitraryInner,
    innerMaybe: fc.option(arbitraryInner),
    list: fc.array(arbitraryInner),
    listMaybe: fc.option(fc.array(fc.string())),
    optional: fc.string(),
    optionalInner: arbitraryInner,
    free: fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
    ),
    either: fc.oneof(fc.string(), fc.integer()),
    tagged: fc.oneof(
      fc.record({ type: fc.constant('n' as const), n: fc.integer() }),
      fc.record({ type: fc.constant('s' as const), s: fc.string() }),
    ),
  },
  {
    requiredKeys: [
      ...(['text', 'maybe', 'count', 'ratio', 'yes', 'day', 'kind', 'kinds', 'inner', 'innerMaybe'] as const),
      ...(['list', 'listMaybe', 'free', 'either', 'tagged'] as const),
    ],
  },
);

const compile = (of: z.ZodType) => {
  const write = serializerOf(of);
  return (value: object) => write({ ...value });
};

t.test('the serializer writes the same as JSON.stringify', async (t) => {
  const write = compile(shape);
  fc.assert(
    fc.property(arbitrary, (value) => {
      t.same(JSON.parse(write(value)), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});

t.test('undeclared fields are not written, at any depth', async (t) => {
  const write = compile(z.object({ inner, list: z.array(inner), maybe: inner.nullable() }));
  const hidden = { a: 'a', b: 1, hidden: 'secret' };
  const text = write({ inner: hidden, list: [hidden], maybe: hidden, hidden: 'secret' });
  t.notMatch(text, 'secret');
  t.same(JSON.parse(text), { inner: { a: 'a', b: 1 }, list: [{ a: 'a', b: 1 }], maybe: { a: 'a', b: 1 } });
});

t.test('a missing field is an error, not a partial response', async (t) => {
  const write = compile(z.object({ must: z.string() }));
  t.throws(() => write({}));
});

t.test('nullable values need no validator at run time', async (t) => {
  t.notMatch(JSON.stringify(serializerSchema(shape.omit({ either: true, tagged: true }))), 'anyOf');
});
