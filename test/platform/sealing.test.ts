import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { packSealed, seal, unpackSealed, unseal } from '../../control-plane/platform/domain/sealing.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';

const key = { id: 'k_00', bytes: Buffer.alloc(32, 7) };

function folder(t: { teardown(fn: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'cidermill-keys-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

t.test('a sealed value decrypts to the same bytes, and only with its key and context', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.nat(), (bytes, context, at) => {
      const plaintext = Buffer.from(bytes);
      const sealed = seal(key, plaintext, context);
      const packed = packSealed(sealed);
      if (!unseal(key, unpackSealed(packed), context).equals(plaintext)) return false;
      const altered = Buffer.from(packed);
      const where = key.id.length + 1 + (at % (altered.length - key.id.length - 1));
      altered[where] = (altered[where] ?? 0) ^ 1;
      t.throws(() => unseal(key, unpackSealed(altered), context));
      t.throws(() => unseal(key, sealed, `${context}!`));
      t.throws(() => unseal({ ...key, bytes: Buffer.alloc(32) }, sealed, context));
      return true;
    }),
  );
  const nonces = new Set(Array.from({ length: 200 }, () => seal(key, Buffer.from('x'), '').nonce.toString('hex')));
  t.equal(nonces.size, 200, 'no nonce is used twice');
  t.throws(() => unseal(key, { keyId: 'k_00', nonce: Buffer.alloc(12), ciphertext: Buffer.alloc(5) }, ''));
  t.throws(() => unpackSealed(Buffer.from('no key id')));
});

t.test('the key file is made once, for its owner alone, and refused when it is damaged', async (t) => {
  const path = join(folder(t), 'secret.key');
  const first = openKeyFile(path).current();
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(first.bytes.length, 32);
  t.same(openKeyFile(path).current(), first, 'a second start finds the same key');
  writeFileSync(path, 'k_00 nonsense\n');
  t.throws(() => openKeyFile(path), { message: /line 1 of the key file/ });
  writeFileSync(path, '');
  t.throws(() => openKeyFile(path).current(), { message: /holds no key/ });
});

t.test('a running service takes up what another process has rotated', async (t) => {
  const path = join(folder(t), 'secret.key');
  const service = createVault(openKeyFile(path));
  const old = service.sealBytes('before', 'c');
  const admin = openKeyFile(path);
  const next = admin.rotate();
  t.equal(service.keyOf(service.sealBytes('after', 'c')), next.id);
  t.equal(service.openBytes(old, 'c').toString(), 'before', 'the key before still opens');
  t.equal(readFileSync(path, 'utf8').trim().split('\n').length, 2);
  admin.rotate();
  t.throws(() => createVault(openKeyFile(path)).openBytes(old, 'c'), {
    name: 'UnreadableError',
    reason: 'key_missing',
  });
});

t.test('a key file that is removed under a running service is written again', async (t) => {
  const path = join(folder(t), 'secret.key');
  let restored = 0;
  const service = createVault(openKeyFile(path, { onRestored: () => restored++ }));
  const content = readFileSync(path, 'utf8');
  const packed = service.sealBytes('value', 'c');
  rmSync(path);
  t.throws(() => openKeyFile(path, { create: false }), { message: /is gone/ });
  t.equal(service.openBytes(packed, 'c').toString(), 'value');
  t.equal(readFileSync(path, 'utf8'), content);
  t.equal(statSync(path).mode & 0o777, 0o600);
  rmSync(path);
  service.sealBytes('other', 'c');
  t.equal(readFileSync(path, 'utf8'), content);
  t.equal(restored, 2);
  t.equal(service.problem(), null);
});

t.test('while the key file is damaged nothing is sealed, and what was sealed before opens', async (t) => {
  const path = join(folder(t), 'secret.key');
  const service = createVault(openKeyFile(path));
  const packed = service.sealBytes('value', 'c');
  writeFileSync(path, 'nonsense\n');
  t.equal(service.openBytes(packed, 'c').toString(), 'value');
  t.throws(() => service.sealBytes('x', 'c'), { code: 'secrets_unavailable' });
  t.match(service.problem(), /line 1 of the key file/);
});

t.test('a key file in a folder that cannot be written is an error, not a key in memory', async (t) => {
  const path = folder(t);
  chmodSync(path, 0o500);
  if (process.getuid?.() !== 0) t.throws(() => openKeyFile(join(path, 'secret.key')));
  t.throws(() => openKeyFile(join(path, 'none', 'secret.key')), { code: 'ENOENT' });
});
