// The Node runtime comes from the registry that npm is configured for, and only with the pinned content.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { pack } from 'tar-stream';
import { fetchRuntime, macRuntime } from '../../../tools/package/runtime.js';

const integrityOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

async function tgz(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name: `package/${name}` }, content);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive) pieces.push(piece as Buffer);
  return gzipSync(Buffer.concat(pieces));
}

/** An npm whose registry has one package, and the environment in which it is found. */
function registryWith(t: Test, tarball: Buffer) {
  const folder = t.testdir({ 'registry.tgz': tarball, bin: {} });
  const asked = path.join(folder, 'asked');
  // `npm pack NAME@VERSION --pack-destination FOLDER --ignore-scripts`
  const npm = `#!/bin/sh\necho "$1 $2 $5" >>'${asked}'\ncp '${folder}/registry.tgz' "$4/node-of-tests-22.0.0.tgz"\n`;
  writeFileSync(path.join(folder, 'bin/npm'), npm, { mode: 0o755 });
  return {
    asked: () => readFileSync(asked, 'utf8').trimEnd().split('\n'),
    env: { PATH: `${folder}/bin:${process.env.PATH}` },
    cache: path.join(folder, 'cache'),
  };
}

t.test('the pinned runtime', async (t) => {
  const tarball = await tgz({ 'bin/node': 'the program', LICENSE: 'the license', 'include/x.h': 'more' });
  const { asked, env, cache } = registryWith(t, tarball);
  const pinned = { platform: 'darwin-arm64', name: 'node-of-tests', version: '22.0.0' };
  const right = { ...pinned, integrity: integrityOf(tarball) };
  const runtime = await fetchRuntime(right, cache, env);
  t.same(runtime, {
    platform: 'darwin-arm64',
    version: '22.0.0',
    node: Buffer.from('the program'),
    license: 'the license',
  });
  t.same(readdirSync(cache), ['node-of-tests-22.0.0.tgz']);
  t.same(await fetchRuntime(right, cache, env), runtime);
  t.same(asked(), ['pack node-of-tests@22.0.0 --ignore-scripts'], 'once');

  const changed = { ...right, integrity: integrityOf(Buffer.from('another content')) };
  writeFileSync(path.join(cache, 'node-of-tests-22.0.0.tgz'), 'damaged');
  await t.rejects(fetchRuntime(changed, cache, env), /the content of node-of-tests@22\.0\.0 does not match/);
  t.equal(asked().length, 2, 'a damaged copy is fetched again');
  t.same(readdirSync(cache), ['node-of-tests-22.0.0.tgz'], 'content that is refused is not kept');
  t.equal(readFileSync(path.join(cache, 'node-of-tests-22.0.0.tgz'), 'utf8'), 'damaged');
});

t.test('a package that is no runtime', async (t) => {
  const tarball = await tgz({ 'bin/node': 'the program' });
  const cache = t.testdir({ 'node-of-tests-22.0.0.tgz': tarball });
  const pinned = { platform: 'darwin-arm64', name: 'node-of-tests', version: '22.0.0' };
  await t.rejects(fetchRuntime({ ...pinned, integrity: integrityOf(tarball) }, cache), /has no .*LICENSE/);
  t.match(macRuntime, { platform: 'darwin-arm64', integrity: /^sha512-[\w+/]{86}==$/ });
  t.notOk(existsSync(path.join(cache, 'download-')));
});
