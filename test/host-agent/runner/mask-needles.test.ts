// Needles of secrets: every form of a value that must not reach the log, produced by the programs that print it.
// Runs in: soak
import { execFileSync } from 'node:child_process';
import { inspect } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { type CompiledSecrets, compileNeedles, createMasker } from '../../../host-agent/runner/mask/masker.js';
import { cases, everyNth } from '../../harness/soak.js';
import { cut } from './mask-oracle.js';

const secretsOf = (...values: string[]): CompiledSecrets =>
  compileNeedles(values.map((value, i) => ({ name: `S${i}`, value })));

function mask(secrets: CompiledSecrets, text: string | Buffer, at: readonly number[] = []): string {
  const masker = createMasker(secrets);
  const output = cut(Buffer.from(text), at).map((piece) => Buffer.from(masker.write(piece)));
  return Buffer.concat([...output, masker.end()]).toString();
}

const VALUES = [
  'Password123!',
  'Pass"word"123!',
  'Pass word 123!',
  'Pass<word>123!',
  "Pass'word'123!",
  '"Pass word"',
  "'Pass word'",
  'a$build-1',
  'a$$b$HOME$',
  'foo\\bar\\baz\\',
  `a'b"c\\d(e)#`,
  `'"'(foo)'"'`,
  '.*+?()[]{}|^$',
  '$&$1$$$`x',
  '~/path/to=key:@host?a=b&c=d',
  '#hash,comma;semi',
  'ÿ-naïve-пароль',
  'emoji 🔑 key 🗝',
  'caf\u00e9-nfc-value',
  'cafe\u0301-nfd-value',
  'line one "x"\nline two \\y\n',
  'crlf one\r\ncrlf <two>\r\n',
  'tab\tand\x01control\x7f!',
  Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
    .join('')
    .trim(),
];

const bash = (script: string, value: string): string =>
  execFileSync('bash', ['-c', script], {
    env: { ...process.env, LC_ALL: 'C.UTF-8', V: value },
    encoding: 'utf8',
  });

const xml = (value: string, quote: string, apostrophe: string): string =>
  value.replace(/[&<>"']/g, (char) =>
    char === '"' ? quote : char === "'" ? apostrophe : { '&': '&amp;', '<': '&lt;', '>': '&gt;' }[char]!,
  );

const rfc3986 = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const lowerHex = (value: string): string => value.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase());

const inner = (quoted: string): string => quoted.slice(1, -1);

const unicodeEscapes = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const QUOTED_EXPANSION = `printf %s "\${V@Q}"`;

/** Each form, produced by other means than the code under test. */
const FORMS: Record<string, (value: string) => string> = {
  'as it is': (value) => value,
  'with CR LF': (value) => value.replace(/\r?\n/g, '\r\n'),
  // A shell splits at these three; other white space of Unicode stays as it is.
  'unquoted in a shell': (value) => value.replace(/[ \t\n]+/g, ' '),
  JSON: (value) => JSON.stringify(value),
  'JSON with \\/': (value) => JSON.stringify(value).replace(/\//g, '\\/'),
  'JSON in ASCII': (value) => unicodeEscapes(JSON.stringify(value)),
  'JSON for HTML': (value) =>
    JSON.stringify(value).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
  'JSON in JSON': (value) => JSON.stringify(JSON.stringify(value)),
  'XML, &apos;': (value) => xml(value, '&quot;', '&apos;'),
  'XML, decimal': (value) => xml(value, '&#34;', '&#39;'),
  'XML, &quot; and decimal': (value) => xml(value, '&quot;', '&#39;'),
  'XML, hexadecimal': (value) => xml(value, '&#x22;', '&#x27;'),
  'XML, quotes as they are': (value) => xml(value, '"', "'"),
  percent: encodeURIComponent,
  'percent, lower case': (value) => lowerHex(encodeURIComponent(value)),
  'percent, RFC 3986': rfc3986,
  'percent, RFC 3986, lower case': (value) => lowerHex(rfc3986(value)),
  'form, + for space': (value) => new URLSearchParams({ v: value }).toString().slice(2),
  'URI, reserved kept': encodeURI,
  'user information of a URL': (value) => {
    const url = new URL('https://host');
    url.password = value.replace(/[\t\r\n\x01\x7f%]/g, '');
    return /[\t\r\n\x01\x7f%]/.test(value) ? '' : url.password;
  },
  "shell '…'": (value) => `'${value.replace(/'/g, "'\\''")}'`,
  "shell '…' by \"'\"": (value) => `'${value.replace(/'/g, `'"'"'`)}'`,
  'shell "…"': (value) => `"${value.replace(/["$`\\]/g, '\\$&')}"`,
  'bash printf %q': (value) => bash('printf %q "$V"', value),
  'bash quoting expansion': (value) => bash(QUOTED_EXPANSION, value),
  'bash set -x': (value) => bash('exec 2>&1; set -x; : "$V"', value),
  'bash declare -p': (value) => bash('declare -p V', value),
  'Node inspect': (value) => inspect(value, { breakLength: Number.POSITIVE_INFINITY }),
  hex: (value) => Buffer.from(value).toString('hex'),
  'hex, upper case': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'hex, 60 columns': (value) => inner(`x${Buffer.from(value).toString('hex')}x`).replace(/.{60}/g, '$&\n'),
};

t.test('every form of every value is masked, however the stream is divided', async (t) => {
  for (const value of VALUES) {
    const secrets = secretsOf(value);
    const trimmed = value.trim();
    for (const [form, write] of Object.entries(FORMS)) {
      const written = write(trimmed);
      const text = `before-${written}-after`;
      const output = mask(secrets, text);
      const label = `${form} of ${JSON.stringify(value)}`;
      const shown = output.replace(/^before-/, '').replace(/-after$/, '');
      if (written === '') continue;
      // Characters that quoting adds around the value may stay: quotes, a command, an escape of the first character.
      t.match(shown, /^(?:\+ : |declare -x V=)?[\\$'"`]*\*\*\*[\\'"`]*\n?$/, label, { written, output });
      const wrong = everyNth(5, [...Buffer.from(text).keys()]).filter((at) => mask(secrets, text, [at]) !== output);
      t.same(wrong, [], `${label}, cut anywhere`);
    }
  }
});

/** What base64 of a longer text shows: all but the value's own characters, shared ones at its edges included. */
function base64Shown(encoded: string, before: number, length: number, last: boolean): string {
  const shift = before % 3;
  const from = 4 * Math.floor(before / 3) + (shift === 0 ? 0 : shift + 1);
  const to = Math.floor(((before + length) * 8) / 6);
  const shared = last && (before + length) % 3 !== 0 ? 1 : 0;
  return `${encoded.slice(0, from)}***${encoded.slice(to + shared)}`;
}

t.test('base64 in both alphabets is masked at every alignment, padded or not, amid a longer text', async (t) => {
  for (const value of ['12345678', 'Password123!', 'ÿþ??>>~~ÿÿ', VALUES.at(-1)!]) {
    const secrets = secretsOf(value);
    const length = Buffer.byteLength(value);
    for (const alphabet of ['base64', 'base64url'] as const) {
      for (let before = 0; before <= 5; before++) {
        for (let after = 0; after <= 3; after++) {
          const whole = Buffer.concat([
            Buffer.from('abcde'.slice(0, before)),
            Buffer.from(value),
            Buffer.alloc(after, 0x80),
          ]);
          const padded = whole.toString(alphabet);
          for (const encoded of [padded, padded.replace(/=/g, '')]) {
            const output = mask(secrets, `basic ${encoded}\r\n`);
            const shown = base64Shown(encoded, before, length, after === 0);
            t.equal(output, `basic ${shown}\r\n`, `${value}, ${alphabet}, ${before} before, ${after} after`);
          }
        }
      }
    }
  }
});

t.test('base64 and hex wrapped at the usual widths are masked', async (t) => {
  const value = Array.from({ length: 40 }, (_, i) => `part-${i * 7919}`).join('/');
  const secrets = secretsOf(value);
  // Base64 encodes three bytes as four characters: the default cases cover every alignment.
  for (const before of everyNth(7, [...Array(80).keys()])) {
    const bytes = Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from(value)]);
    for (const [encoding, columns] of [
      ['base64', 64],
      ['base64', 76],
      ['hex', 60],
    ] as const) {
      for (const lineBreak of ['\n', '\r\n', '\r\n    ']) {
        const encoded = bytes.toString(encoding);
        const lines = encoded.match(new RegExp(`.{1,${columns}}`, 'g'))!;
        const output = mask(secrets, lines.join(lineBreak), [50, 51, 130]);
        const shown = output.replace(/\s/g, '');
        const perByte = encoding === 'hex' ? 2 : 4 / 3;
        // Up to three characters stay where the first line ends right after them, and up to three shared ones.
        const most = Math.ceil(before * perByte) + '***'.length + '=='.length + 3 + 3;
        if (shown.length > most) t.fail(`${encoding}, ${columns} columns, ${before} before`, { output });
        if (shown.split('***').length !== 2) t.fail('one mark', { output });
      }
    }
  }
  t.pass('nothing more than shared characters is shown');
});

t.test('short values: some are masked, the others are reported as not masked', async (t) => {
  const cases: [value: string, masked: boolean][] = [
    ['', false],
    ['x', false],
    ['ab', false],
    ['é', false],
    ['abc', true],
    ['é!', true],
    ['한', true],
    ['\t \r\n ', false],
    ['   ', false],
    ['ab\n', true],
    [' ab ', true],
    ['true', true],
    ['***', true],
  ];
  for (const [value, masked] of cases) {
    t.same(secretsOf(value).unmasked, masked ? [] : ['S0'], JSON.stringify(value));
    const output = mask(secretsOf(value), `begin ${value} end`);
    t.equal(output.includes('***'), masked, `${JSON.stringify(value)} in text`);
  }
  t.equal(mask(secretsOf('', ' ', 'x'), 'x  x'), 'x  x', 'secrets without needles mask nothing');
  t.same(secretsOf('ab', 'abc', 'a').unmasked, ['S0', 'S2'], 'reported by name');
});

t.test('encodings are masked from 8 bytes on, not below', async (t) => {
  for (const [value, masked] of [
    ['1234567', false],
    ['12345678', true],
  ] as const) {
    const secrets = secretsOf(value);
    const forms = [Buffer.from(value).toString('base64').slice(0, 10), Buffer.from(value).toString('hex')];
    for (const form of forms) t.equal(mask(secrets, form).includes('***'), masked, form);
  }
  t.equal(mask(secretsOf('a"b&c'), 'a\\"b&c a&quot;b&amp;c'), 'a\\"b&c a&quot;b&amp;c', 'short value, escaped');
});

t.test('values of several lines', async (t) => {
  const key = Array.from({ length: 6 }, (_, i) => Buffer.alloc(48, `row ${i} of key `).toString('base64'));
  const pem = `-----BEGIN KEY-----\n${key.join('\n')}\n-----END KEY-----\n`;
  const json = '{\n  "user": "ci",\n  "pass": "hunter22"\n}\n';
  const secrets = secretsOf(pem, json);
  const cases: [name: string, input: string, output: string][] = [
    ['as it is', pem, '***\n'],
    ['as a terminal shows it', pem.replace(/\n/g, '\r\n'), '***\r\n'],
    ['with CR CR LF', pem.replace(/\n/g, '\r\r\n'), '***\r\r\n'],
    ['by echo $X', `${pem.trim().replace(/\n/g, ' ')}\n`, '***\n'],
    ['without line breaks', pem.replace(/\n/g, ''), '***'],
    ['without the last newline', pem.trim(), '***'],
    ['blank lines between', pem.replace(/\n/g, '\n\n'), '***\n\n'],
    ['indented', pem.replace(/^/gm, '    '), '    ***\n    '],
    ['with tabs, VT and FF', pem.trim().replace(/\n/g, '\t\v\f'), '***'],
    ['wrapped at 40 columns', pem.replace(/.{40}/g, '$&\r\n'), '***\n'],
    ['one line alone', `x ${key[3]} y`, 'x *** y'],
    ['one line as JSON', `"${key[3]}\\n"`, '"***\\n"'],
    ['one line prefixed', `+ ${key[0]}\n+ ${key[1]}`, '+ ***\n+ ***'],
    ['short lines are not masked alone', '{\n}\n', '{\n}\n'],
    ['a line of JSON without its indentation', '"pass": "hunter22"', '***'],
    ['JSON on one line', json.replace(/\s+/g, ' '), '*** '],
    ['last line cut short', pem.slice(0, -3), `${'***\n'.repeat(7)}-----END KEY---`],
  ];
  for (const [name, input, output] of cases) {
    t.equal(mask(secrets, input), output, name);
    const bytes = [...Buffer.from(input).keys()];
    t.equal(mask(secrets, input, bytes), output, `${name}, byte by byte`);
    t.same(
      everyNth(11, bytes).filter((at) => mask(secrets, input, [at]) !== output),
      [],
      `${name}, cut anywhere`,
    );
  }
  t.equal(mask(secretsOf('one\r\ntwo-three\r\n'), '"one\\ntwo-three"'), '"***"', 'CR LF value, encoded with LF');
});

t.test('values with escape sequences are masked with and without them', async (t) => {
  const secrets = secretsOf('abc\x1b[1mdef\x1b[0mghi');
  for (const text of ['abc\x1b[1mdef\x1b[0mghi', 'abcdefghi', 'abc\x1b[31mdefghi', '"abc\\u001b[1mdef\\u001b[0mghi"']) {
    t.equal(mask(secrets, text).replace(/"/g, ''), '***', JSON.stringify(text));
  }
});

t.test('secrets of one build do not affect the next', async (t) => {
  const [first, second] = [secretsOf('first-value'), secretsOf('second-value')];
  t.equal(mask(first, 'first-value second-value'), '*** second-value');
  t.equal(mask(second, 'first-value second-value'), 'first-value ***');
});

t.test('random secrets in random forms, divided at random', async () => {
  const value = fc
    .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
    .filter((v) => v.trim().length >= 8 && !v.includes('*'));
  const forms = Object.entries(FORMS).filter(([name]) => !name.startsWith('bash') && !name.startsWith('user'));
  const planted = fc.record({
    values: fc.array(value, { minLength: 1, maxLength: 4 }),
    parts: fc.array(fc.tuple(fc.constantFrom(...forms), fc.nat(3), fc.string({ maxLength: 10 })), {
      maxLength: 8,
    }),
    cuts: fc.array(fc.nat(600), { maxLength: 10 }),
  });
  fc.assert(
    fc.property(planted, ({ values, parts, cuts }) => {
      const secrets = secretsOf(...values);
      const written = parts.map(([[, write], which]) =>
        write(values[which % values.length]!.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '')),
      );
      const text = written.map((form, i) => form + parts[i]![2]).join('\r\n');
      const bytes = Buffer.from(text);
      const output = mask(
        secrets,
        bytes,
        cuts.filter((at) => at < bytes.length),
      );
      const shown = written.find((form) => form.length > 5 && output.includes(form));
      if (shown !== undefined) throw new Error(`shown: ${JSON.stringify({ values, shown, output })}`);
      if (mask(secrets, bytes) !== output) throw new Error('depends on the cuts');
      let at = 0;
      for (const byte of Buffer.from(output.replaceAll('***', ''))) {
        at = bytes.indexOf(byte, at) + 1;
        if (at === 0) throw new Error(`not a part of the input: ${JSON.stringify(output)}`);
      }
    }),
    { numRuns: cases(30) },
  );
});
