// The masker as used by the agent: texts, files, concurrent streams, and the largest secrets.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { compileNeedles, createMasker, maskText } from '../../../host-agent/runner/mask/masker.js';
import type { Secret } from '../../../host-agent/runner/mask/needles.js';
import { scanFile } from '../../../host-agent/runner/mask/scan-file.js';
import { maskFor } from '../../../host-agent/runner/order-mask.js';
import { casesOf } from '../../harness/soak.js';

const named = (...values: string[]): Secret[] => values.map((value, i) => ({ name: `S${i}`, value }));
const characters = (count: number): string => randomBytes(count).toString('base64').slice(0, count);

t.test('texts of a failure, names of files and error messages are masked', async (t) => {
  const secrets = compileNeedles(named('hunter22', 'tok:en/with?chars', 'пароль-1'));
  const cases: [text: string, output: string][] = [
    ['', ''],
    ['exit 65', 'exit 65'],
    ['Signing failed: key hunter22 is expired', 'Signing failed: key *** is expired'],
    ['Sources/hunter22/main.swift:12', 'Sources/***/main.swift:12'],
    ['report-hunter22.xml', 'report-***.xml'],
    ['https://user:hunter22@host/x', 'https://user:***@host/x'],
    ['https://:hunter22@host', 'https://:***@host'],
    ['https://host\x7f/?t=tok%3Aen%2Fwith%3Fchars', 'https://host\x7f/?t=***'],
    ['{"error":"tok:en\\/with?chars"}', '{"error":"***"}'],
    ['нет: пароль-1 🔑', 'нет: *** 🔑'],
    ['half of it: hunter2', 'half of it: hunter2'],
  ];
  for (const [text, output] of cases) t.equal(maskText(text, secrets), output, JSON.stringify(text));
});

t.test('one set of needles serves many streams at once, each with separate state', async (t) => {
  const key = characters(3000);
  const secrets = compileNeedles(named('hunter22', key, 'one\ntwo\nthree'));
  const inputs = ['a hunter22 b', `key ${key}!`, 'one\r\ntwo\r\nthree', 'hunter2 one two', `${key.slice(0, 2999)}?`];
  const outputs = ['a *** b', 'key ***!', '***', 'hunter2 one two', `${key.slice(0, 2999)}?`];
  const maskers = inputs.map(() => createMasker(secrets));
  const shown = inputs.map(() => '');
  for (let i = 0; i < 3100; i++) {
    for (const [k, masker] of maskers.entries()) shown[k] += masker.write(Buffer.from(inputs[k]![i] ?? '')).toString();
  }
  for (const [k, masker] of maskers.entries()) shown[k] += masker.end().toString();
  t.same(shown, outputs);
});

t.test('without secrets a stream passes through untouched', async (t) => {
  const masker = createMasker([]);
  const piece = randomBytes(100_000);
  t.ok(masker.write(piece).equals(piece));
  t.equal(masker.end().length, 0);
});

t.test('secrets in a file are found', async (t) => {
  const dir = t.testdir({});
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  const key = `-----BEGIN KEY-----\n${characters(64)}\n${characters(64)}\n-----END KEY-----\n`;
  const secrets = compileNeedles([
    { name: 'PASSWORD', value: 'hunter22' },
    { name: 'DEPLOY_KEY', value: key },
    { name: 'TOKEN', value: 'abc/def"ghi' },
    { name: 'SAME_AS_PASSWORD', value: 'hunter22' },
    { name: 'SHORT', value: 'ab' },
  ]);
  const filler = 'nothing of interest\n'.repeat(5_000);
  const cases: [name: string, content: string | Buffer, found: string[]][] = [
    ['empty', '', []],
    ['harmless', filler, []],
    ['password', `${filler}hunter22${filler}`, ['PASSWORD', 'SAME_AS_PASSWORD']],
    ['across-reads', `${'x'.repeat(65_533)}hunter22`, ['PASSWORD', 'SAME_AS_PASSWORD']],
    ['escaped', filler + JSON.stringify({ token: 'abc/def"ghi' }), ['TOKEN']],
    ['encoded', Buffer.from(key).toString('base64').replace(/.{76}/g, '$&\n'), ['DEPLOY_KEY']],
    ['a-line', key.split('\n')[1]!, ['DEPLOY_KEY']],
    [
      'all',
      `${key.replace(/\n/g, '\r\n')} hunter\x1b[1m22 abc%2Fdef%22ghi`,
      ['DEPLOY_KEY', 'PASSWORD', 'SAME_AS_PASSWORD', 'TOKEN'],
    ],
    ['binary', Buffer.concat([randomBytes(50_000), Buffer.from('\0hunter22\0')]), ['PASSWORD', 'SAME_AS_PASSWORD']],
    ['gap', `hunter${'\x1b[1m'.repeat(20_000)}`, []],
  ];
  for (const [name, content, found] of cases) {
    const path = file(name, content);
    t.same(await scanFile(path, secrets), found, name);
    t.same(await scanFile(createReadStream(path, { highWaterMark: 701 }), secrets), found, `${name}, in small reads`);
  }
  await t.rejects(scanFile(join(dir, 'missing'), secrets), { code: 'ENOENT' });
  await t.rejects(scanFile(dir, secrets), { code: 'EISDIR' });
  t.same(await scanFile(file('no-secrets', 'text'), compileNeedles([])), [], 'no secrets');
});

t.test('text of any size is scanned completely; large binary files are not', async (t) => {
  const secrets = [{ name: 'TOKEN', value: 'hunter22-hunter22' }];
  const { scanFile } = maskFor({ secrets, limits: { artifactScanBytes: 20_000 } });
  const scan = (content: string) => {
    const file = join(t.testdir(), 'artifact');
    writeFileSync(file, content);
    return scanFile(file);
  };
  const secret = 'hunter22-hunter22';
  t.same(await scan(`${'x'.repeat(100_000)}${secret}`), ['TOKEN']);
  t.same(await scan(`\0${'x'.repeat(10_000)}${secret}`), ['TOKEN']);
  t.same(await scan(`\0${'x'.repeat(100_000)}${secret}`), []);
});

t.test('a scan stops as early as possible', async (t) => {
  let read = 0;
  async function* pieces() {
    for (const piece of ['some hun', 'ter22 text', 'more', 'and more']) {
      read += 1;
      yield Buffer.from(piece);
    }
  }
  t.same(await scanFile(pieces(), compileNeedles(named('hunter22'))), ['S0']);
  t.equal(read, 2);
});

t.test('low-entropy values and near matches take linear time', async (t) => {
  const near = (value: string, text: string): number => {
    const masker = createMasker(named(value));
    const started = process.cpuUsage();
    masker.write(Buffer.from(text));
    masker.end();
    const used = process.cpuUsage(started);
    return (used.user + used.system) / 1e6;
  };
  const cases: [name: string, value: string, text: string][] = [
    ['16,000 underscores and no x', `${'_'.repeat(15_999)}x`, '_'.repeat(400_000)],
    ['32 KiB of one character', '_'.repeat(32_768), '_'.repeat(400_000)],
    ['a period that breaks late', `${'ab'.repeat(16_000)}c`, `${'ab'.repeat(15_000)}b`.repeat(14)],
    ['nested periods', `${`${'a'.repeat(99)}b`.repeat(300)}c`, `${'a'.repeat(99)}b`.repeat(4000)],
    ['colors all over', '_'.repeat(32_768), '_\x1b[1m'.repeat(80_000)],
  ];
  for (const [name, value, text] of cases) {
    // Quadratic time would be minutes: 400,000 bytes times 16,000.
    const seconds = near(value, text);
    t.ok(seconds < 20, name, { seconds });
  }
});

t.test('200 values at once, and one of 32 KiB, are masked, also byte by byte', async (t) => {
  const values = [...Array.from({ length: 200 }, (_, i) => `value-${i}-${characters(12)}`), characters(32_768)];
  const secrets = compileNeedles(named(...values));
  const text = values.map((value, i) => `${i}: ${value}\r\n`).join('');
  const expected = values.map((_, i) => `${i}: ***\r\n`).join('');
  t.equal(maskText(text, secrets), expected);
  const masker = createMasker(secrets);
  let output = '';
  for (const byte of Buffer.from(text)) output += masker.write(Buffer.of(byte)).toString();
  t.equal(output + masker.end().toString(), expected);
});

t.test('100 secrets of 64 KiB take a bounded table and are masked in every encoding', async (t) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const memory = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const lines = (): string => characters(64_000).replace(/.{64}/g, '$&\n');
  const quoted = (): string => characters(64_000).replace(/[a-f]/g, '"');
  const kinds = { 'a thousand lines': lines, 'a value full of quotes': quoted };
  for (const [name, value] of casesOf(kinds, ['a value full of quotes'])) {
    const values = Array.from({ length: 100 }, value);
    const before = memory();
    const secrets = compileNeedles(named(...values));
    t.ok(memory() - before < 160e6, `${name}: needles and table`, { bytes: memory() - before });
    const [first, last] = [values[0]!.trim(), values.at(-1)!.trim()];
    const forms = [
      first,
      last.replace(/\n/g, '\r\n'),
      JSON.stringify(first).slice(1, -1),
      encodeURIComponent(last),
      Buffer.from(first).toString('hex'),
      Buffer.from(last).toString('base64').replace(/=/g, ''),
    ];
    const masker = createMasker(secrets);
    const output = forms.map((form) => masker.write(Buffer.from(`<${form}>`)).toString()).join('');
    t.equal(output + masker.end().toString(), '<***>'.repeat(forms.length), name);
    t.ok(memory() - before < 200e6, `${name}: after use`, { bytes: memory() - before });
  }
});
