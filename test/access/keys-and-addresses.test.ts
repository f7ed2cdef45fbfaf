import fc from 'fast-check';
import t from 'tap';
import {
  createKey,
  displayPrefix,
  hashKey,
  isKeyForm,
  keyChecksum,
} from '../../control-plane/access/domain/api-key.js';
import { canonicalJson } from '../../control-plane/platform/domain/canonical-json.js';
import {
  clientBlock,
  compileRanges,
  normalizeAddress,
  normalizeCidr,
} from '../../control-plane/platform/domain/cidr.js';
import { parseIsoTime } from '../../control-plane/platform/domain/iso-time.js';
import { bearerToken } from '../../control-plane/platform/http/bearer.js';
import { clientIp } from '../../control-plane/platform/http/client-ip.js';

const base62 = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

t.test('the checksum is the published one of the tokens that this form was taken from', async (t) => {
  // Dummy tokens of GitHub and npm documentation: 30 characters and their checksum.
  for (const [random, checksum] of [
    ['zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ', '0mLq17'],
    ['qkJaB6MffYVzZXWqmcoF49yrUxP3wf', '0LsakP'],
  ] as const) {
    t.equal(keyChecksum(random), checksum);
    t.ok(isKeyForm(`cm_${random}${checksum}`));
  }
  t.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

t.test('every key made has the form, and no change of one character keeps it', async (t) => {
  const seen = new Set<string>();
  for (let i = 0; i < 500; i++) {
    const key = createKey();
    t.ok(isKeyForm(key));
    seen.add(key);
    t.equal(displayPrefix(key), key.slice(0, 7));
  }
  t.equal(seen.size, 500);
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 38 }), base62, (at, other) => {
      const key = createKey();
      const changed = key.slice(0, at) + other + key.slice(at + 1);
      return changed === key || !isKeyForm(changed);
    }),
  );
  for (const text of [
    '',
    'cm_',
    'mk_'.concat(createKey().slice(3)),
    ` ${createKey()}`,
    `${createKey()}\n`,
    createKey().slice(0, -1),
  ]) {
    t.notOk(isKeyForm(text), JSON.stringify(text));
  }
});

t.test('random characters of keys are equally likely', async (t) => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 4_000; i++) {
    for (const c of createKey().slice(3, 33)) counts.set(c, (counts.get(c) ?? 0) + 1);
  }
  const expected = (4_000 * 30) / 62;
  const chiSquare = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  t.equal(counts.size, 62);
  t.ok(chiSquare < 130, `chi square ${chiSquare} of 61 degrees of freedom`);
});

t.test('ranges', async (t) => {
  for (const [given, kept] of [
    ['203.0.113.7', '203.0.113.7/32'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    [' 10.0.0.0/8 ', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::ffff:192.0.2.1', '192.0.2.1/32'],
  ] as const) {
    t.equal(normalizeCidr(given), kept, given);
  }
  for (const text of [
    '',
    'x',
    '10.0.0.0/33',
    '10.0.0/8',
    '010.0.0.1',
    '0x7f.1',
    '1',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    'a.b.c.d/8',
  ]) {
    t.equal(normalizeCidr(text), null, text);
  }
  t.throws(() => compileRanges(['nowhere']));
  t.notOk(compileRanges(['0.0.0.0/0']).includes('not an address'));
  t.notOk(compileRanges(['0.0.0.0/0']).includes('2001:db8::1'));
  t.ok(compileRanges(['0.0.0.0/0']).includes('::ffff:1.2.3.4'));
  t.equal(normalizeAddress('::ffff:1.2.3.4'), '1.2.3.4');
  t.equal(clientBlock('2001:db8::1'), clientBlock('2001:db8:0:0:ffff::2'));
  t.not(clientBlock('2001:db8::1'), clientBlock('2001:db8:0:1::1'));
  t.equal(clientBlock('1.2.3.4'), '1.2.3.4');
});

t.test('a range holds exactly the addresses that share its first bits', async () => {
  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  const number = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
  fc.assert(
    fc.property(octets, octets, fc.integer({ min: 0, max: 32 }), (base, address, bits) => {
      const size = 2 ** (32 - bits);
      const shared = Math.floor(number(base) / size) === Math.floor(number(address) / size);
      const ranges = compileRanges([`${base.join('.')}/${bits}`]);
      return ranges.includes(address.join('.')) === shared && ranges.includes(`::ffff:${address.join('.')}`) === shared;
    }),
  );
});

t.test('no header of a client moves it past the last trusted proxy', async () => {
  const trusted = compileRanges(['10.0.0.0/8']);
  fc.assert(
    fc.property(fc.string(), fc.ipV4(), (claim, client) => {
      const request = (forwarded: string) => ({
        headers: { 'x-forwarded-for': forwarded },
        socket: { remoteAddress: '10.0.0.1' },
      });
      if (trusted.includes(client)) return true;
      const ip = clientIp(request(`${claim}, ${client}`), trusted);
      return ip === client;
    }),
  );
});

t.test('bearer tokens', async (t) => {
  for (const [header, token] of [
    [undefined, null],
    ['Bearer abc', 'abc'],
    ['bEaReR   abc', 'abc'],
    ['Bearer a=b/c+d~e', 'a=b/c+d~e'],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearerabc', null],
    [' Bearer abc', null],
    ['Bearer a b', null],
    ['Digest abc', null],
  ] as const) {
    t.equal(bearerToken(header), token, String(header));
  }
});

t.test('canonical JSON is the same for the same value and differs for another', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      // Parsed and written again, with every object's members the other way round.
      const reversed: unknown = JSON.parse(JSON.stringify(value), (_, member: unknown) =>
        typeof member === 'object' && member !== null && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).reverse())
          : member,
      );
      t.same(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      return canonicalJson(reversed) === text;
    }),
  );
  t.equal(canonicalJson({ b: 1, a: [true, null, 'ä'] }), '{"a":[true,null,"ä"],"b":1}');
  t.equal(canonicalJson(JSON.parse('{"__proto__":1,"a":2}')), '{"__proto__":1,"a":2}');
  t.equal(canonicalJson(undefined), '');
  t.throws(() => canonicalJson(JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)), { code: 'invalid_json' });
});

t.test('ISO times', async (t) => {
  for (const [text, iso] of [
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T09:00', '2026-03-01T09:00:00.000Z'],
    ['2026-03-01T09:00:30', '2026-03-01T09:00:30.000Z'],
    ['2026-03-01T09:00:30.25Z', '2026-03-01T09:00:30.250Z'],
    ['2026-03-01T09:00:30+09:00', '2026-03-01T00:00:30.000Z'],
    ['2026-03-01T09:00:30-0100', '2026-03-01T10:00:30.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ] as const) {
    t.equal(new Date(parseIsoTime(text) ?? 0).toISOString(), iso, text);
  }
  for (const text of [
    '',
    'now',
    '2026',
    '2026-13-01',
    '2026-02-29',
    '2026-04-31',
    '2026-03-01T25:00',
    '2026-03-01 09:00',
    '1772355600000',
    '2026-03-01T09:00:00ZZ',
    '+002026-01-01',
  ]) {
    t.equal(parseIsoTime(text), null, text);
  }
});
