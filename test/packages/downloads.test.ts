// Packages for download: only files with the checksum in SHA256SUMS, new ones without a restart, broken downloads resumed.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createPackages } from '../../control-plane/packages/app/packages.js';
import { mountPackages } from '../../control-plane/packages/http/package-routes.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { createRateLimits } from '../../control-plane/platform/http/rate-limits.js';
import { systemClock } from '../../shared/clock.js';
import { startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';

/** Packages with their names as content. */
function folderWith(t: Test, ...names: readonly string[]) {
  const folder = join(t.testdir(), 'packages');
  mkdirSync(folder);
  const put = (name: string, content = name, sum = sha256(content)) => {
    writeFileSync(join(folder, name), content);
    appendFileSync(join(folder, 'SHA256SUMS'), `${sum}  ${name}\n`);
  };
  for (const name of names) put(name);
  return { folder, put };
}

const AGENT = 'cidermill-host-agent-0.10.0-darwin-arm64.tar.gz';
const OLDER = 'cidermill-host-agent-0.9.0-darwin-arm64.tar.gz';
const CLI = 'cidermill-cli-0.10.0.tgz';

t.test('which packages there are', async (t) => {
  const lines: string[] = [];
  const { folder, put } = folderWith(t, OLDER, AGENT, CLI);
  const packages = createPackages({ folder, log: pino({}, { write: (line: string) => lines.push(line) }) });
  t.match(await packages.hostAgent(), {
    name: AGENT,
    version: '0.10.0',
    bytes: AGENT.length,
    sha256: sha256(AGENT),
    file: join(folder, AGENT),
  });
  t.match(await packages.hostAgent({ version: '0.9.0' }), { name: OLDER });
  t.equal(await packages.hostAgent({ version: '0.8.0' }), null);
  t.equal(await packages.hostAgent({ platform: 'linux-x64' }), null);

  const here = 'cidermill-host-agent-0.11.0-linux-x64.tar.gz';
  put(here);
  t.match(await packages.hostAgent({ platform: 'linux-x64' }), { name: here }, 'a new file is found');
  t.match(await packages.hostAgent(), { name: AGENT });
  t.same(lines, []);

  writeFileSync(join(folder, 'cidermill-9.9.9.tgz'), 'unlisted');
  put('cidermill-9.9.8.tgz', 'changed', sha256('as it was'));
  put('cidermill-9.9.7.tgz');
  rmSync(join(folder, 'cidermill-9.9.7.tgz'));
  mkdirSync(join(folder, 'cidermill-9.9.6.tgz'));
  put('notes.txt');
  for (let i = 0; i < 2; i++) {
    const served = (await packages.all()).map(({ name }) => name);
    t.same(served, [here, CLI, AGENT, OLDER]);
  }
  t.equal(lines.length, 3, 'each problem is logged once');
  t.match(lines.join(''), /cidermill-9\.9\.9\.tgz is not served: SHA256SUMS does not list it/);
  t.match(lines.join(''), /cidermill-9\.9\.8\.tgz is not served: its SHA-256 is/);

  writeFileSync(join(folder, AGENT), 'replaced');
  t.equal(await packages.find(AGENT), null, 'a file that changes is hashed again');
});

t.test('the command line that was built last is offered until one is published', async (t) => {
  const { folder, put } = folderWith(t, AGENT);
  const built = join(folder, '../built');
  mkdirSync(built);
  writeFileSync(join(built, CLI), 'as it was built');
  writeFileSync(join(built, 'SHA256SUMS'), `${sha256('as it was built')}  ${CLI}\n`);
  const packages = createPackages({ folder, built, log: pino({ level: 'silent' }) });
  t.match(await packages.find(CLI), { file: join(built, CLI), sha256: sha256('as it was built') });
  put(CLI, 'as it was published');
  t.match(await packages.find(CLI), { file: join(folder, CLI), sha256: sha256('as it was published') });
  t.same(
    (await packages.all()).map(({ name }) => name),
    [CLI, AGENT],
  );
});

t.test('downloads', async (t) => {
  const { folder, put } = folderWith(t);
  const { inject } = await startHarness(t, { packages: folder });
  const get = (name: string, headers: Record<string, string> = {}) => inject({ url: `/packages/${name}`, headers });
  const empty = await get(AGENT);
  t.equal(empty.statusCode, 404);
  t.match(empty.body, /no packages yet.*npm run package/);
  t.equal((await get('SHA256SUMS')).body, '');

  put(AGENT);
  put(CLI, '0123456789');
  const whole = await get(CLI);
  t.equal(whole.statusCode, 200);
  t.equal(whole.body, '0123456789');
  t.match(whole.headers, {
    'content-type': 'application/gzip',
    'content-length': '10',
    'accept-ranges': 'bytes',
    etag: `"${sha256('0123456789')}"`,
    'content-disposition': `attachment; filename="${CLI}"`,
  });
  const rest = await get(CLI, { range: 'bytes=4-' });
  t.match(rest, { statusCode: 206, body: '456789', headers: { 'content-range': 'bytes 4-9/10' } });
  t.match(await get(CLI, { range: 'bytes=10-' }), {
    statusCode: 416,
    headers: { 'content-range': 'bytes */10' },
  });
  const other = await get(CLI, { range: 'bytes=4-', 'if-range': '"another"' });
  t.match(other, { statusCode: 200, body: '0123456789' }, 'a package that changed comes whole');
  const head = await inject({ method: 'HEAD', url: `/packages/${CLI}` });
  t.match(head, { statusCode: 200, body: '', headers: { 'content-length': '10' } });
  t.equal(
    (await get('SHA256SUMS')).body,
    `${sha256('0123456789')}  ${CLI}\n${sha256(AGENT)}  ${AGENT}\n`,
    'with what sha256sum -c needs',
  );

  for (const name of ['notes.txt', '..%2fSHA256SUMS', '%00', 'x'.repeat(500)]) {
    const missing = await get(name);
    t.equal(missing.statusCode, 404, name);
    t.match(missing.body, new RegExp(`There are:\n  ${CLI}\n  ${AGENT}`));
  }
});

t.test('a client that asks too often waits', async (t) => {
  const { folder } = folderWith(t, CLI);
  const server = Fastify();
  mountPackages(server, {
    packages: createPackages({ folder, log: pino({ level: 'silent' }) }),
    siteUrl: 'http://macs.test',
    rateLimits: createRateLimits(systemClock, defaultLimits.rate_limit_callers, null),
    limits: { ...defaultLimits, package_requests_per_minute: 3 },
    clientIp: ({ headers }) => String(headers['x-forwarded-for']),
  });
  t.teardown(() => server.close());
  const from = (address: string) => server.inject({ url: `/packages/${CLI}`, headers: { 'x-forwarded-for': address } });
  for (let i = 0; i < 3; i++) t.equal((await from('192.0.2.1')).statusCode, 200);
  const refused = await from('192.0.2.1');
  t.equal(refused.statusCode, 429);
  t.match(refused.headers['retry-after'], /^\d+$/);
  t.match(refused.body, /Too many requests from this address/);
  t.equal((await from('192.0.2.2')).statusCode, 200);
});
