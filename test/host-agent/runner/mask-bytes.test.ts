// Secrets that are not text: masked as they are and in every form in which programs print bytes.
// Requires: python3
// Runs in: soak
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import t from 'tap';
import { bytesOf, textOf } from '../../../host-agent/runner/mask/byte-text.js';
import { compileNeedles, createMasker } from '../../../host-agent/runner/mask/masker.js';
import { cut } from './mask-oracle.js';

const needlesOf = (value: Buffer) => compileNeedles([{ name: 'CERT', value }]);

function mask(needles: ReturnType<typeof needlesOf>, output: Buffer, at: readonly number[] = []): string {
  const masker = createMasker(needles);
  const masked = cut(output, at).map((piece) => Buffer.from(masker.write(piece)));
  return Buffer.concat([...masked, masker.end()]).toString('latin1');
}

/** Repeats the bytes 0 to 255 in an order that looks random. */
const CERT = Buffer.from(Array.from({ length: 600 }, (_, n) => (n * 167 + 30) % 256));
const WITHOUT_NUL = Buffer.from([...CERT].filter((byte) => byte !== 0));

const python = (value: Buffer, expression: string): Buffer => {
  const code = `import sys, json, urllib.parse; b = sys.stdin.buffer.read(); sys.stdout.write(${expression})`;
  return execFileSync('python3', ['-c', code], { input: value, env: { ...process.env, PYTHONUTF8: '1' } });
};

const forms: Record<string, (value: Buffer) => Buffer> = {
  'as it is': (value) => value,
  base64: (value) => Buffer.from(value.toString('base64')),
  base64url: (value) => Buffer.from(value.toString('base64url')),
  'wrapped base64': (value) => Buffer.from(value.toString('base64').replace(/.{64}/g, '$&\n')),
  hexadecimal: (value) => Buffer.from(value.toString('hex')),
  "Node's text": (value) => Buffer.from(value.toString()),
  "Node's JSON": (value) => Buffer.from(JSON.stringify(value.toString())),
  "Node's JSON of Latin-1": (value) => Buffer.from(JSON.stringify(value.toString('latin1'))),
  "Python's repr": (value) => python(value, 'repr(b)'),
  "Python's JSON": (value) => python(value, 'json.dumps(b.decode("utf-8", "surrogateescape"))'),
  "Python's URL": (value) => python(value, 'urllib.parse.quote(b)'),
};

t.test('bytes are masked in every form in which programs print them', async (t) => {
  for (const value of [CERT, WITHOUT_NUL]) {
    const needles = needlesOf(value);
    for (const [form, print] of Object.entries(forms)) {
      const output = Buffer.concat([Buffer.from('<'), print(value), Buffer.from('>')]);
      for (const at of [[], [1, 2, 3], [100, 250]]) {
        t.match(mask(needles, output, at), /^<["']?(b')?\*\*\*["']?>$/, form);
      }
    }
  }
});

t.test('any bytes are a text and come back', async (t) => {
  const all = fc.uint8Array({ maxLength: 40 });
  fc.assert(fc.property(all, (bytes) => bytesOf(textOf(Buffer.from(bytes))).equals(Buffer.from(bytes))));
  t.equal(textOf(Buffer.from('a🔑é')), 'a🔑é');
  t.equal(textOf(Buffer.from([0x61, 0xff, 0xf0, 0x9f])), 'a\udcff\udcf0\udc9f');
});

t.test('any bytes that are long enough are masked as they are', async (t) => {
  const long = fc.uint8Array({ minLength: 12, maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(long, (value) => {
      // Blanks at the edges are not part of what is masked.
      const core = value.toString('latin1').replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
      const masked = mask(needlesOf(value), value);
      return core.length < 8 || (masked.includes('***') && !masked.includes(core));
    }),
  );
  t.pass('for all');
});
