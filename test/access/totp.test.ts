// Codes of authenticator apps and recovery codes, without a service around them.
import t from 'tap';
import { createRecoveryCodes, recoveryCodeHash } from '../../control-plane/access/domain/recovery-code.js';
import { base32, stepOfCode, totpAddress, totpCode, totpStep } from '../../control-plane/access/domain/totp.js';

/** The secret of RFC 6238, appendix B. */
const SECRET = Buffer.from('12345678901234567890');

t.test('codes are those of RFC 6238', async (t) => {
  for (const [second, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const) {
    const step = totpStep(second * 1_000);
    t.equal(totpCode(SECRET, step, 8), code, `at ${second} s`);
    t.equal(totpCode(SECRET, step), code.slice(2), 'six digits are the last of eight');
  }
});

t.test('a code works one step before and after its time, and only after the last one used', async (t) => {
  const now = 1_234_567_890_000;
  const step = totpStep(now);
  for (const [drift, used, expected] of [
    [0, 0, step],
    [-1, 0, step - 1],
    [1, 0, step + 1],
    [-2, 0, null],
    [2, 0, null],
    [0, step, null],
    [0, step - 1, step],
    [-1, step - 1, null],
    [-1, step, null],
    [1, step, step + 1],
  ] as const) {
    const code = totpCode(SECRET, step + drift);
    t.equal(stepOfCode(SECRET, code, now, used), expected, `drift ${drift}, last used ${used - step}`);
  }
  for (const code of ['', '12345', '1234567', 'abcdef', ' 12345', '１２３４５６']) {
    t.equal(stepOfCode(SECRET, code, now, 0), null, `"${code}"`);
  }
});

t.test('base32 is that of RFC 4648, without padding', async (t) => {
  for (const [text, encoded] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const) {
    t.equal(base32(Buffer.from(text)), encoded);
  }
  t.equal(
    totpAddress(SECRET, { issuer: 'Cidermill macs.example', email: 'ada+mac@example.com' }),
    'otpauth://totp/Cidermill%20macs.example:ada%2Bmac%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cidermill%20macs.example',
  );
});

t.test('recovery codes are ten, random, and read as people write them', async (t) => {
  const codes = createRecoveryCodes();
  t.equal(new Set(codes).size, 10);
  for (const code of codes) t.match(code, /^([0-9a-hj-km-np-tv-z]{4}-){3}[0-9a-hj-km-np-tv-z]{4}$/);
  const hash = recoveryCodeHash('7k2m-9x0c-4v8d-3f1g');
  t.match(hash, /^[0-9a-f]{64}$/);
  for (const text of ['7K2M9X0C4V8D3F1G', ' 7k2m 9x0c 4v8d 3f1g ', '7k2m-9xoc-4v8d-3flg', '7k2m-9xOc-4v8d-3fIg']) {
    t.equal(recoveryCodeHash(text), hash, text);
  }
  for (const text of ['', '123456', '7k2m-9x0c-4v8d-3f1', '7k2m-9x0c-4v8d-3f1g0', '7k2m-9x0c-4v8d-3f1u']) {
    t.equal(recoveryCodeHash(text), null, text);
  }
});
