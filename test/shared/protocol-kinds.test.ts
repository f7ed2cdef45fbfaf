// All text in messages of hosts has a kind, and each kind cleans or refuses hostile text.
import t from 'tap';
import { z } from 'zod';
import * as requestShapes from '../../control-plane/hosts/link/request-shapes.js';
import {
  agentMessage,
  approvalRequest,
  buildResult,
  enrolRequest,
  outputHeader,
  proofRequest,
} from '../../shared/protocol/index.js';
import {
  artifactName,
  code,
  digest,
  displayText,
  firstOf,
  hostName,
  hostPath,
  id,
  imageName,
  kinds,
  sha256Hex,
  sound,
  time,
  token,
  version,
} from '../../shared/protocol/kinds.js';
import { HIDDEN, hidden } from '../harness/hidden-text.js';

/** Returns the array of a list whose length or records are checked before or after it. */
function arrayIn(schema: z.core.$ZodType): z.core.$ZodArray | null {
  const { def } = schema._zod;
  if (def.type === 'array') return schema as z.core.$ZodArray;
  if (def.type !== 'pipe') return null;
  const { in: from, out } = def as z.core.$ZodPipeDef;
  return arrayIn(from) ?? arrayIn(out);
}

/** Returns the paths of all strings and lists in a schema that have no kind. */
function withoutKind(schema: z.core.$ZodType, path: string): string[] {
  const found = kinds.get(schema as z.ZodType);
  const { def } = schema._zod;
  if (found && found.kind !== 'list') return [];
  if (def.type === 'object') {
    return Object.entries((def as z.core.$ZodObjectDef).shape).flatMap(([name, field]) =>
      withoutKind(field, `${path}.${name}`),
    );
  }
  if (def.type === 'union') {
    return (def as z.core.$ZodUnionDef).options.flatMap((option) => withoutKind(option, path));
  }
  if (def.type === 'array') {
    const inside = withoutKind((def as z.core.$ZodArrayDef).element, `${path}[]`);
    return found ? inside : [path, ...inside];
  }
  if (def.type === 'pipe') {
    if (!found) return [path];
    return withoutKind(arrayIn(schema)?._zod.def.element ?? z.unknown(), `${path}[]`);
  }
  if (def.type === 'tuple') {
    return (def as z.core.$ZodTupleDef).items.flatMap((item, n) => withoutKind(item, `${path}.${n}`));
  }
  if ('innerType' in def) return withoutKind(def.innerType as z.core.$ZodType, path);
  return ['number', 'boolean', 'enum', 'literal'].includes(def.type) ? [] : [path];
}

const spoken: Record<string, z.core.$ZodType> = {
  agentMessage,
  buildResult,
  outputHeader,
  enrolRequest,
  approvalRequest,
  proofRequest,
  ...requestShapes,
};

t.test('every string and list of a host’s messages and requests has a kind', async (t) => {
  for (const [name, schema] of Object.entries(spoken)) t.same(withoutKind(schema, name), [], name);
  const bare = z.object({ a: z.string(), b: z.array(id()), c: z.string().nullable(), d: z.unknown() });
  t.same(withoutKind(bare, 'x'), ['x.a', 'x.b', 'x.c', 'x.d'], 'fields without a kind are found');
  const inLists = z.object({ a: sound(z.string(), 9), b: firstOf(z.object({ c: z.string() }), 9) });
  t.same(withoutKind(inLists, 'x'), ['x.a[]', 'x.b[].c'], 'and those of records in lists');
});

const hostile = [
  ...Object.values(hidden),
  '\0',
  '\x1b[2J',
  '\x1b]52;c;aGk=\x07',
  'a\nb',
  '../up',
  '/etc/passwd',
  '',
  ' ',
  'x'.repeat(100_000),
  '</script>',
  "'; DROP TABLE builds; --",
  '__proto__',
  'é'.repeat(500),
  '\u202e'.repeat(10_000),
];

t.test('accepted text has no hidden characters and a bounded length', async (t) => {
  const all: [name: string, schema: z.ZodType, most: number][] = [
    ['identifier', id(), 100],
    ['version', version(), 64],
    ['token', token(), 200],
    ['hash', sha256Hex, 64],
    ['code', code(), 64],
    ['image name', imageName(), 300],
    ['digest', digest(), 149],
    ['display text', displayText(600), 600],
    ['host name', hostName(), 253],
    ['artifact name', artifactName(), 1024],
  ];
  for (const [name, schema, most] of all) {
    for (const text of hostile.flatMap((one) => [one, `ab${one}cd`])) {
      const passed = schema.safeParse(text).data ?? null;
      if (passed === null) continue;
      t.ok(typeof passed === 'string' && passed.length <= most, name);
      // Emoji are joined by invisible characters, so file names may contain these.
      const pattern = name === 'artifact name' ? /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u : HIDDEN;
      t.notMatch(passed, pattern, `${name}: ${escape(text).slice(0, 40)}`);
    }
  }
  for (const text of hostile) t.notMatch(hostPath().parse(`/work${text}`), /[\p{Cc}\p{Bidi_Control}]/u);
  t.equal(hostPath().parse('/Users/ci/work'), '/Users/ci/work');
  t.equal(hostName().parse('\x1b[31m\u202e'), 'unnamed');
  t.equal(displayText(20).parse('\x1b[31mno\x1b[0m space'), 'no space');
  t.equal(time().safeParse(8.7e15).success, false);
  for (const name of ['-v', '--help', '', 'a b', 'x'.repeat(301)])
    t.equal(imageName().safeParse(name).success, false, name);
  t.equal(imageName().parse('ghcr.io/o/macos-xcode:26.1@sha256:0'), 'ghcr.io/o/macos-xcode:26.1@sha256:0');
  t.equal(digest().parse(`sha256:${'0'.repeat(64)}`).length, 71);
});

const result = {
  outcome: 'exited',
  exit_code: 1,
  stop_reason: null,
  step: 'script',
  reason_code: 'script_failed',
  fault: 'customer',
  summary: null,
  script_started_at: 1,
  ended_at: 2,
  log: { bytes: 0, sha256: '0'.repeat(64), omitted_bytes: 0, possibly_truncated: false },
  artifacts: [],
  warnings: [],
};
const artifact = (name: unknown) => ({ name, bytes: 1, sha256: '0'.repeat(64) });

t.test('the host can report the end of a build with any text in its result', async (t) => {
  const names = ['../up', '/etc/x', 'a\0b', 'a\nb', '\x1b[2J', '\u202etxt', '.git/config', ''];
  const read = buildResult.parse({
    ...result,
    reason_code: 'Sudo; rm',
    summary: `\x1b[31mbad\u202e${'x'.repeat(9000)}`,
    work_folder: '/work\n/x',
    artifacts: [...names, 'ok.txt'].map(artifact),
    warnings: Array.from({ length: 5000 }, (_, n) => `\x1b]0;t\x07warning ${n}\n`),
  });
  t.equal(read.reason_code, null);
  t.equal(read.summary?.length, 600);
  t.notMatch(read.summary, HIDDEN);
  t.equal(read.work_folder, '');
  t.same(
    read.artifacts.map(({ name }) => name),
    ['ok.txt'],
  );
  t.equal(read.warnings.length, 1000);
  t.same([read.warnings[0], read.warnings.at(-1)], ['warning 0', '4001 more warnings.']);
  t.same(buildResult.parse({ ...result, artifacts: [artifact(7), 7, artifact('ok.txt')] }).artifacts, [
    artifact('ok.txt'),
  ]);
  t.equal(buildResult.safeParse({ ...result, artifacts: 'ok.txt' }).success, false);
});

t.test('messages of a host are cleaned like its texts', async (t) => {
  const hostileValue = `\x1b[31mbad\u202e${'x'.repeat(9000)}`;
  const message = {
    code: 'processes_unknown',
    params: { reason: hostileValue, count: 2, list: [1], nothing: null, __proto__: 'x', 'a b': 'x' },
    text: hostileValue,
  };
  const { warning_messages: read = [] } = buildResult.parse({
    ...result,
    warning_messages: [message, 'text', { ...message, params: 7 }, { ...message, code: 'rm -rf' }],
  });
  t.equal(read.length, 3, 'what is no message is left out');
  t.same(Object.keys(read[0]?.params ?? {}), ['reason', 'count']);
  for (const text of [read[0]?.params.reason, read[0]?.text]) {
    t.equal(String(text).length, 1000);
    t.notMatch(String(text), HIDDEN);
  }
  t.same(read[1]?.params, {});
  t.equal(read[2]?.code, null);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, n]));
  const most = buildResult.parse({ ...result, warning_messages: [{ ...message, params: many }] });
  t.equal(Object.keys(most.warning_messages?.[0]?.params ?? {}).length, 12);
  t.equal(buildResult.parse(result).warning_messages, undefined, 'of an older host');
});
