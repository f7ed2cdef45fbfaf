// The Node runtime comes from the registry that npm is configured for, and only with the pinned content.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** A registry with one package, and the environment in which npm uses it. */
async function registryWith(t: Test, name: string, version: string, tarball: Buffer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.endsWith('.tgz')) return response.end(tarball);
    const dist = { tarball: `${url}${name}-${version}.tgz`, integrity: integrityOf(tarball) };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, versions: { [version]: { name, version, dist, os: ['darwin'] } } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const home = t.testdir();
  const env = {
    ...{ PATH: process.env.PATH, HOME: home },
    ...{
      npm_config_registry: url,
      npm_config_cache: path.join(home, '.npm'),
      npm_config_update_notifier: '',
    },
  };
  return { asked, env, home, cache: path.join(home, 'cache') };
}

t.test('the pinned runtime', async (t) => {
  const tarball = await tgz({ 'bin/node': 'the program', LICENSE: 'the license', 'include/x.h': 'more' });
  const { asked, env, cache } = await registryWith(t, 'node-of-tests', '22.0.0', tarball);
  const pinned = { platform: 'darwin-arm64', name: 'node-of-tests', version: '22.0.0' };
  const right = { ...pinned, integrity: integrityOf(tarball) };
  const runtime = await fetchRuntime(right, cache, env);
  t.same(runtime, {
    ...{ platform: 'darwin-arm64', version: '22.0.0' },
    ...{ node: Buffer.from('the program'), license: 'the license' },
  });
  t.same(readdirSync(cache), ['node-of-tests-22.0.0.tgz']);
  const requests = asked.length;
  t.same(await fetchRuntime(right, cache, env), runtime);
  t.equal(asked.length, requests, 'the second time without network');

  const changed = { ...right, integrity: integrityOf(Buffer.from('another content')) };
  writeFileSync(path.join(cache, 'node-of-tests-22.0.0.tgz'), 'damaged');
  await t.rejects(fetchRuntime(changed, cache, env), /node-of-tests@22\.0\.0 has another content/);
  t.ok(asked.length > requests, 'a damaged copy is fetched again');
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
