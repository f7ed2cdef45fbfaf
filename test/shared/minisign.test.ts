// Signatures in minisign's format: one of minisign itself, and everything that can be changed about one.

import { join } from 'node:path';
import t from 'tap';
import { parsePublicKey, SignatureError, verifySignature } from '../../shared/minisign.js';
import { openKey, signContent } from '../../tools/package/signing.js';
import { tempFolder } from '../host-agent/runner/rig.js';

/** Made by minisign, of the content `test`. */
const KEY = 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3';
const SIGNATURE = `untrusted comment: signature from minisign secret key
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
trusted comment: timestamp:1633700835\tfile:test\tprehashed
wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==
`;

t.test("a signature of minisign's own", async (t) => {
  const key = parsePublicKey(`untrusted comment: x\n${KEY}\n`);
  t.match(key, { text: KEY, id: 'E7620F1842B4E81F' });
  t.equal(verifySignature(Buffer.from('test'), SIGNATURE, [key]), key);
  t.equal(verifySignature(Buffer.from('test'), SIGNATURE.replaceAll('\n', '\r\n'), [key]), key);
  t.throws(() => verifySignature(Buffer.from('Test'), SIGNATURE, [key]), /is not of this content/);
});

t.test('every change is refused', async (t) => {
  const folder = tempFolder(t);
  const [mine, other] = ['a', 'b'].map((name) => openKey(join(folder, name), { outsideOf: [], say() {} }));
  if (!mine || !other) return t.fail('no keys');
  const content = Buffer.from('sums');
  const signature = signContent(content, mine, 'file:x');
  const keys = [mine, other].map(({ text }) => parsePublicKey(text));
  t.equal(verifySignature(content, signature, keys).text, mine.text);
  t.throws(
    () => verifySignature(content, signature, keys.slice(1)),
    new RegExp(`signed with the key ${mine.id}, not with ${other.id}`),
  );
  t.throws(() => verifySignature(content, signature, []), SignatureError);
  t.throws(
    () => verifySignature(content, signature.replace('file:x', 'file:y'), keys),
    /comment of the signature was changed/,
  );
  const lines = signature.split('\n');
  for (const line of [1, 3]) {
    for (let at = 0; at < (lines[line]?.length ?? 0); at++) {
      const char = lines[line]?.[at] === 'A' ? 'B' : 'A';
      const text = `${lines[line]?.slice(0, at)}${char}${lines[line]?.slice(at + 1)}`;
      if (Buffer.from(text, 'base64').equals(Buffer.from(lines[line] ?? '', 'base64'))) continue;
      const changed = lines.map((one, i) => (i === line ? text : one)).join('\n');
      t.throws(() => verifySignature(content, changed, keys), SignatureError);
    }
  }
  const legacy = lines.map((one, i) => (i === 1 ? `RWQ${one.slice(3)}` : one)).join('\n');
  for (const damaged of ['', 'x', signature.slice(0, 200), lines.slice(1).join('\n'), legacy]) {
    t.throws(() => verifySignature(content, damaged, keys), SignatureError);
  }
  for (const text of ['', 'RWQ', `${KEY}=`, `${KEY.slice(0, -1)}*`, KEY.replace('RW', 'RX'), KEY.slice(4)]) {
    t.throws(() => parsePublicKey(text), /is not a public key of minisign/, text);
  }
});
