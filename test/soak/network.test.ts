// Hosts and command lines in a network with a private certificate authority and a proxy as the only way out. TLS, git,
// the proxy and the processes are real; only the proxy can resolve the names.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { createMacChanges } from '../../host-agent/daemon/macs/change.js';
import { createBuildSupervisor } from '../../host-agent/daemon/supervisor.js';
import { createLocalDriver } from '../../host-agent/driver/local.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { gitNetwork } from '../../host-agent/runner/order-sources.js';
import { type NetworkSettings, openNetwork } from '../../host-agent/system/network.js';
import { linkRequest } from '../../host-agent/system/request.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import type { BuildFact, BuildResult } from '../../shared/protocol/index.js';
import { makePlace } from '../client/place.js';
import { startScriptedService } from '../client/scripted-service.js';
import { spawnCli } from '../client/spawn-cli.js';
import { createAuthority } from '../harness/authority.js';
import { startConnectProxy } from '../harness/connect-proxy.js';
import { desiredMac } from '../harness/desired-mac.js';
import { startLinkService } from '../harness/link-service.js';
import { listening } from '../harness/listening.js';
import { until } from '../harness/until.js';
import { newSpec, SLOT, tempFolder } from '../host-agent/runner/rig.js';
import { checkOutGit, files, start } from '../host-agent/runner/source-git-fixtures.js';

const portOf = (url: string) => Number(new URL(url).port);

/** A code host at https://git.test that is reached through a proxy. */
async function codeHost(t: Test) {
  const { mac, host } = await start(t);
  const ca = createAuthority(t);
  const proxy = await startConnectProxy(t, {
    'git.test:443': await ca.front(['git.test'], portOf(host.origin)),
  });
  const commit = host.upstream('app').commit('main', { 'a.txt': 'a' });
  const source = { kind: 'git', url: 'https://git.test/app', ref: 'main', commit: null, pr: null } as const;
  const settings: NetworkSettings = { ca_files: [ca.file], proxy: proxy.url, bypass: null };
  return { mac, host, ca, proxy, commit, source, settings };
}

t.test('git of the host goes through the proxy and trusts the private authority', async (t) => {
  const { mac, host, ca, proxy, commit, source, settings } = await codeHost(t);
  const checkOut = (given: NetworkSettings) =>
    checkOutGit(mac, source, { gitProtocols: [], gitEnv: gitNetwork(source.url, given, mac.root) });

  await t.rejects(checkOut({ ...settings, ca_files: [] }), {
    reasonCode: 'network_error',
    message: /does not trust the certificate of https:\/\/git\.test .*ca_file in agent\.json/,
  });
  await t.rejects(checkOut({ ...settings, proxy: null }), /Could not resolve host/);
  t.same(host.requests, [], 'neither came to the code host');
  const laid = await checkOut(settings);
  t.equal(laid.commit, commit);
  t.equal(files(mac.work)['a.txt'], 'a');
  t.same([...new Set(proxy.asked)], ['git.test:443']);

  proxy.password = 'user:p@ss word';
  const named = new URL(proxy.url);
  await t.rejects(checkOut(settings), { reasonCode: 'network_error', message: /407|[Pp]roxy/ });
  named.username = 'user';
  named.password = 'p@ss word';
  t.equal((await checkOut({ ...settings, proxy: named.href })).commit, commit);

  const bundle = join(mac.root, 'certificate-authorities.pem');
  t.ok(readFileSync(bundle, 'utf8').split('BEGIN CERTIFICATE').length > 50, 'public authorities are trusted too');
  writeFileSync(bundle, 'damaged');
  t.equal((await checkOut({ ...settings, proxy: named.href })).commit, commit, 'the file is written again');
  t.throws(() => gitNetwork(source.url, { ...settings, ca_files: [join(ca.folder, 'none.pem')] }, mac.root), {
    reasonCode: 'workspace_failed',
    fault: 'platform',
    message: /none\.pem cannot be read/,
  });
});

t.test('a build clones its repository through the proxy and reports the commit', async (t) => {
  const { commit, source, settings, proxy } = await codeHost(t);
  const dataDir = tempFolder(t);
  const driver = createLocalDriver({ dataDir });
  await createMacChanges(driver).bring(desiredMac({ slot_id: SLOT }), () => {});
  const facts: BuildFact[] = [];
  let result: BuildResult | null = null;
  const builds = createBuildSupervisor({
    dataDir,
    driver,
    clock: systemClock,
    network: settings,
    log: createLog('test', 'fatal'),
    link: () => ({ siteUrl: 'https://macs.test', credential: 'cmh_x' }),
    events: {
      onFact: (fact) => facts.push(fact),
      onOutput: () => undefined,
      onFinished: (_ref, ended) => {
        result = ended;
      },
    },
  });
  t.teardown(() => builds.close());
  await builds.start(newSpec('if printenv | grep -i proxy; then exit 9; fi; test -f a.txt', { source }), []);
  await until(() => result !== null, 'the build has ended');
  t.match(result, { outcome: 'exited', commit_sha: commit, exit_code: 0 });
  t.ok(
    facts.some(({ state, commit_sha }) => state === 'running' && commit_sha === commit),
    'told while it runs',
  );
  t.equal(facts.at(-1)?.commit_sha, commit);
  t.ok(proxy.asked.includes('git.test:443'));
});

t.test('an agent enrols, connects and serves through the proxy', async (t) => {
  const service = await startLinkService(t);
  const ca = createAuthority(t);
  const proxy = await startConnectProxy(t, {
    'macs.test:443': await ca.front(['macs.test'], service.port),
  });
  const dataDir = join(t.testdir(), 'host');
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const config = { control_plane: 'https://macs.test', allow_unisolated: true };
  const enrol = (more: object) => enrolHost({ dataDir, token, config: { ...config, ...more } });

  await t.rejects(enrol({}), 'the name is not known here');
  await t.rejects(enrol({ https_proxy: proxy.url }), /certificate|issuer|self/i);
  await t.rejects(enrol({ https_proxy: 'socks5://proxy.test' }), { name: 'ConfigError' });
  await t.rejects(enrol({ ca_file: join(dataDir, 'none.pem') }), {
    name: 'ConfigError',
    message: /none\.pem/,
  });
  writeFileSync(join(ca.folder, 'empty.pem'), 'nothing');
  await t.rejects(enrol({ ca_file: join(ca.folder, 'empty.pem') }), { name: 'ConfigError' });
  t.notOk(existsSync(join(dataDir, 'credential.json')));

  const { host_id } = await enrol({ https_proxy: proxy.url, ca_file: ca.file });
  const agent = createHostAgent({ dataDir, log: createLog('agent', 'silent') });
  await agent.start();
  t.teardown(() => agent.stop());
  await until(() => service.link.connectedHosts().includes(host_id), 'connected');
  t.same([...new Set(proxy.asked)], ['macs.test:443']);

  const network = openNetwork({ ca_files: [ca.file], proxy: proxy.url, bypass: null });
  await t.rejects(linkRequest({ siteUrl: 'https://macs.test', network }, { method: 'GET', path: '/nothing' }), {
    message: /404/,
  });
  await t.rejects(linkRequest({ siteUrl: 'https://other.test', network }, { method: 'GET', path: '/' }), {
    code: 'PROXY_FAILED',
    message: /answered 502 when asked for a connection to other\.test:443/,
  });
  proxy.password = 'user:secret';
  const wrong = proxy.url.replace('//', '//user:wrong@');
  const refused = linkRequest(
    {
      siteUrl: 'https://macs.test',
      network: openNetwork({ ca_files: [ca.file], proxy: wrong, bypass: null }),
    },
    { method: 'GET', path: '/' },
  );
  await t.rejects(refused, { code: 'PROXY_FAILED', message: /^(?!.*wrong).*answered 407/ });
});

t.test('the command line goes through the proxy of its environment', async (t) => {
  const service = await startScriptedService();
  t.teardown(() => service.close());
  const ca = createAuthority(t);
  const proxy = await startConnectProxy(t, {
    'macs.test:443': await ca.front(['macs.test'], portOf(service.url)),
  });
  const place = makePlace({ url: `https://macs.test${new URL(service.url).pathname}` });
  t.teardown(() => place.remove());
  const run = (more: Record<string, string>) =>
    spawnCli(place, ['queue', '--json'], { env: { ...place.env, ...more } }).done;
  const trust = { NODE_EXTRA_CA_CERTS: ca.file };

  const through = await run({ ...trust, HTTPS_PROXY: proxy.url });
  t.equal(through.code, 0, through.stderr);
  t.equal(service.requests.length, 1);
  t.same([...new Set(proxy.asked)], ['macs.test:443']);
  const count = proxy.asked.length;
  t.not((await run({ ...trust, HTTPS_PROXY: proxy.url, NO_PROXY: '.test' })).code, 0);
  t.equal(proxy.asked.length, count, 'what NO_PROXY names is reached directly');
  proxy.password = 'user:secret';
  const refused = await run({ ...trust, HTTPS_PROXY: proxy.url.replace('//', '//user:wrong@') });
  t.not(refused.code, 0);
  t.match(refused.stderr, /proxy http:\/\/127\.0\.0\.1:\d+ answered 407/);
  t.notMatch(refused.stderr, /wrong/);
});

t.test('admin commands for a service elsewhere go through the proxy', async (t) => {
  const service = createServer((request, response) => {
    const known = request.headers.authorization === 'Bearer operator-token';
    const tier = {
      tier: 'm4',
      name: 'Mini',
      price_won: 10_000,
      sales_open: true,
      xcode_versions: ['16.2'],
      image: null,
    };
    response.end(JSON.stringify(known && request.url === '/api/operator/v1/tiers' ? { tiers: [tier] } : {}));
  });
  const port = await listening(t, service);
  const ca = createAuthority(t);
  const proxy = await startConnectProxy(t, {
    'macs.test:443': await ca.front(['macs.test'], port),
  });
  const place = makePlace(null);
  t.teardown(() => place.remove());
  const env = {
    ...place.env,
    CIDERMILL_OPERATOR_TOKEN: 'operator-token',
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: ca.file,
  };
  const listed = await spawnCli(place, ['admin', 'tier', 'list', '--url', 'https://macs.test'], { env }).done;
  t.match(listed, { code: 0, stdout: 'm4  10000 won  open  16.2  Mini\n' }, listed.stderr);
  t.same(proxy.asked, ['macs.test:443']);
});

t.test('requests to customers’ addresses bypass the proxy', async (t) => {
  const service = await startScriptedService();
  t.teardown(() => service.close());
  const proxy = await startConnectProxy(t, {});
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'] as const;
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  t.teardown(() => {
    for (const name of names) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  for (const name of names) process.env[name] = proxy.url;
  const guard = (allowLoopback: boolean) =>
    createPublicFetch({
      rules: { allowLoopback, allowed: noAllowedReceivers },
      resolve: async () => ['127.0.0.1'],
      timeoutMs: 2_000,
      bodyBytes: 16,
    });
  const open = guard(true);
  const strict = guard(false);
  t.teardown(() => Promise.all([open.close(), strict.close()]));
  const post = { headers: {}, body: '{}' };
  const url = new URL('/hook', service.url).href;
  t.match(await open.post({ url, ...post }), { kind: 'answered' });
  t.match(await strict.post({ url: 'https://hooks.internal.test/hook', ...post }), { kind: 'forbidden' });
  t.same(proxy.asked, []);
});
