// Publishing packages: the key, the signature, and that nothing published is replaced by other bytes.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parsePublicKey, verifySignature } from '../../../shared/minisign.js';
import { writeArchive } from '../../../tools/package/archive.js';
import { type Publication, publish } from '../../../tools/package/publish.js';
import { defaultKeyFile, openKey, type SigningKey } from '../../../tools/package/signing.js';
import { writeSums } from '../../../tools/package/sums.js';
import { tempFolder } from '../../host-agent/runner/rig.js';

const NAME = 'cidermill-cli-1.0.0.tgz';
const quiet = { outsideOf: [], say() {} };

function open(t: Test) {
  const folder = tempFolder(t);
  const out = join(folder, 'packages');
  const said: string[] = [];
  const keyOf = (name: string) => openKey(join(folder, name), quiet);
  const run = (text: string, more: Partial<Publication> = {}, name = NAME) =>
    publish(
      {
        out,
        key: keyOf('key'),
        trusted: [],
        replace: false,
        signPresent: false,
        say: (line) => said.push(line),
        ...more,
      },
      async (staged) => [
        {
          name,
          sha256: await writeArchive(join(staged, name), 'package', [{ path: 'x', content: Buffer.from(text) }]),
        },
      ],
    );
  const sums = () => readFileSync(join(out, 'SHA256SUMS'), 'utf8');
  const signer = (keys: SigningKey[]) =>
    verifySignature(
      readFileSync(join(out, 'SHA256SUMS')),
      readFileSync(join(out, 'SHA256SUMS.minisig'), 'utf8'),
      keys.map(({ text }) => parsePublicKey(text)),
    ).id;
  return { folder, out, said, keyOf, run, sums, signer };
}

t.test('published files are signed, and keep their bytes', async (t) => {
  const { out, run, sums, signer, keyOf } = open(t);
  await run('one');
  t.equal(signer([keyOf('key')]), keyOf('key').id);
  t.match(readFileSync(join(out, 'cidermill.pub'), 'utf8'), `\n${keyOf('key').text}\n`);
  const [before, bytes] = [sums(), readFileSync(join(out, NAME))];
  await run('one');
  t.equal(sums(), before, 'the same again');
  await t.rejects(run('two'), {
    message: new RegExp(`published with other contents: ${NAME}\\. .* --replace`),
  });
  t.same([sums(), readFileSync(join(out, NAME))], [before, bytes]);
  t.same(
    readdirSync(out).sort(),
    ['SHA256SUMS', 'SHA256SUMS.minisig', NAME, 'cidermill.pub'].sort(),
    'nothing is left',
  );
  await run('two', {}, 'cidermill-cli-2.0.0.tgz');
  t.match(sums(), before);
  await run('three', { replace: true });
  t.notMatch(sums(), before);
  t.equal(signer([keyOf('key')]), keyOf('key').id);
});

t.test('another key signs only what it, or a trusted one, has signed before', async (t) => {
  const { out, said, run, sums, signer, keyOf } = open(t);
  mkdirSync(out);
  writeFileSync(join(out, 'cidermill-cli-0.9.0.tgz'), 'x');
  writeSums(out, [{ name: 'cidermill-cli-0.9.0.tgz', sha256: 'a'.repeat(64) }]);
  await run('one', { signPresent: true });
  t.match(sums(), 'cidermill-cli-0.9.0.tgz');
  const [first, next] = [keyOf('key'), keyOf('next')];
  await run('two', { key: next, trusted: [first.text] }, 'cidermill-cli-2.0.0.tgz');
  t.match(sums(), /0\.9\.0[\s\S]*1\.0\.0[\s\S]*2\.0\.0/);
  t.equal(signer([next]), next.id);
  await t.rejects(run('changed', { key: next }), /published with other contents/);
  t.same(said, []);
  const third = keyOf('third');
  await run('three', { key: third }, 'cidermill-cli-3.0.0.tgz');
  t.match(sums(), /^[0-9a-f]{64} {2}cidermill-cli-3\.0\.0\.tgz\n$/);
  t.match(said, [/no longer offered: cidermill-cli-0\.9\.0\.tgz, .*2\.0\.0\.tgz; --sign-present/]);
});

t.test('the key is private, and in no folder that others get', async (t) => {
  const { folder, out } = open(t);
  const said: string[] = [];
  const options = { outsideOf: [out], say: (text: string) => said.push(text) };
  const file = join(folder, 'a/b/key.pem');
  const key = openKey(file, options);
  t.match({ ...statSync(file) }, { mode: 0o100600 });
  t.equal(statSync(join(folder, 'a/b')).mode & 0o777, 0o700);
  t.match(said, [/^made the signing key .*: keep a copy/]);
  t.equal(openKey(file, options).text, key.text);
  t.equal(said.length, 1);
  chmodSync(file, 0o640);
  t.throws(() => openKey(file, options), /others can read the signing key/);
  mkdirSync(join(out, 'deep'), { recursive: true });
  symlinkSync(out, join(folder, 'link'));
  for (const inside of ['packages/key', 'packages/deep/key', 'link/key']) {
    t.throws(() => openKey(join(folder, inside), options), /whose files are published/, inside);
    t.notOk(existsSync(join(folder, inside)));
  }
  t.ok(openKey(join(folder, 'packages.key'), options));
  t.equal(defaultKeyFile({ XDG_CONFIG_HOME: '/x' }), '/x/cidermill/signing-key.pem');
  t.equal(defaultKeyFile({ CIDERMILL_SIGNING_KEY: '/k' }), '/k');
});
