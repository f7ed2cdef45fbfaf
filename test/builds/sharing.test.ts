// Links that show one build to anybody who has them: what they show, to whom, and for how long.
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { redact } from '../../shared/redact.js';
import { entriesOf } from '../access/audit-entries.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';

const HOUR = 3_600_000;

/** A failed build with two artifacts, another build, and a link to the first. */
async function start(t: Test, options: HarnessOptions = {}) {
  const h = await startHarness(t, options);
  const host = await startBuildHost(h, { macs: 1 });
  const submit = async () =>
    (await h.call('POST', '/builds', { body: { repo: 'a/b', script: 'make' } })).json().id as string;
  const build = await submit();
  await h.workers.idle();
  await host.start();
  await host.output(build, 'one\ntwo\n');
  for (const name of ['out/a.txt', 'out/b.txt']) {
    const artifact = { buildId: build, attempt: 1, name, bytes: 1, sha256: sha256('x') };
    await h.artifacts.store(artifact, Readable.from([Buffer.from('x')]));
  }
  await host.finish(build, { outcome: 'exited', exit_code: 1 });
  const other = await submit();
  const cookie = await h.signIn('developer');
  const answer = await share(h, cookie, build);
  const token = new URL(answer.json().url).pathname.split('/').at(-1) ?? '';
  const get = (path: string) => h.inject({ method: 'GET', url: `/api/runner/v1/shared/${path}` });
  return { h, host, build, other, cookie, answer, token, get };
}

const share = (h: Harness, cookie: string, build: string, orgId = h.org.orgId) =>
  h.callConsole('POST', `/v1/organizations/${orgId}/builds/${build}/share`, {
    key: null,
    headers: { cookie },
  });

t.test('a link shows one build, its log, failure and artifacts without a session', async (t) => {
  const { h, build, other, answer, token, get } = await start(t);
  t.equal(answer.statusCode, 201);
  t.equal(answer.json().url, `${h.siteUrl}/shared/${token}`);
  t.equal(Date.parse(answer.json().expires_at), h.clock.now() + HOUR);
  t.same((await get(token)).json(), {
    build_id: build,
    expires_at: answer.json().expires_at,
    code_host: 'https://github.com',
  });

  const agent = `${token}/agent/builds/${build}`;
  t.match((await get(agent)).json(), { id: build, status: 'failed', script: 'make' });
  t.equal((await get(`${agent}/log`)).body, 'one\ntwo\n');
  t.equal((await get(`${agent}/log?from_line=2`)).json().lines[0].text, 'two');
  t.equal((await get(`${agent}/failure`)).json().failure.fault, 'customer');

  const first = (await get(`${token}/artifacts?limit=1`)).json();
  t.equal(first.data.length, 1);
  const second = (await get(`${token}/artifacts?cursor=${first.next_cursor}`)).json();
  const names = [...first.data, ...second.data].map(({ path }) => path).sort();
  t.same([names, second.next_cursor], [['out/a.txt', 'out/b.txt'], null]);
  const address = (await h.inject({ method: 'GET', url: first.data[0].download_url })).json();
  t.equal((await h.inject({ method: 'GET', url: address.url.slice(h.siteUrl.length) })).body, 'x');

  for (const path of [`builds/${other}`, `builds/${other}/log`, 'builds/rb_none', 'builds', 'status', 'secrets']) {
    const refused = await get(`${token}/agent/${path}`);
    t.equal(refused.statusCode, 404, path);
  }
  for (const [method, path] of [
    ['POST', '/cancel'],
    ['PATCH', ''],
  ] as const) {
    const url = `/api/runner/v1/shared/${agent}${path}`;
    const refused = await h.inject({ method, url, payload: { priority: 1 } });
    t.ok(refused.statusCode === 404 || refused.statusCode === 405, `${method} ${path}`);
  }
  t.equal((await get(`${token}/artifacts/file_none`)).statusCode, 404);
  const [entry] = (await entriesOf(h)).filter(({ action }) => action === 'build.share');
  t.match(entry, { actorKind: 'person', target: build, result: 'ok' });
  const { errors } = (await h.call('GET', '/errors?kind=api')).json();
  t.same(errors, [], "a visitor's errors are not the team's");
});

t.test('a link ends: by time, with the build, and with the organization', async (t) => {
  const { h, build, token, get } = await start(t);
  const agent = `${token}/agent/builds/${build}`;
  const flipped = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`;
  const { data } = (await get(`${token}/artifacts`)).json();
  const ticket = (await h.inject({ method: 'GET', url: data[0].download_url })).json().url.split('/').at(-1);
  for (const bad of [flipped, token.slice(4), 'x', '%00', ticket, `${token}x`]) {
    t.equal((await get(bad)).statusCode, 404, bad);
    t.equal((await get(`${bad}/agent/builds/${build}`)).statusCode, 404, bad);
  }
  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  t.equal((await get(token)).statusCode, 403);
  t.equal((await get(agent)).statusCode, 403);
  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'active');
  t.equal((await get(agent)).statusCode, 200);
  await h.clock.advance(HOUR);
  for (const path of [token, agent, `${token}/artifacts`]) t.equal((await get(path)).statusCode, 404, path);
});

t.test('all links to a build are withdrawn at once; later ones work', async (t) => {
  const { h, build, other, cookie, token, get } = await start(t);
  const tokenOf = async (id: string) =>
    new URL((await share(h, cookie, id)).json().url).pathname.split('/').at(-1) ?? '';
  const withdraw = (by: string, id: string) =>
    h.callConsole('DELETE', `/v1/organizations/${h.org.orgId}/builds/${id}/share`, {
      key: null,
      headers: { cookie: by },
    });
  const [second, elsewhere] = [await tokenOf(build), await tokenOf(other)];
  const outside = await h.signIn('developer', { email: 'hidden@example.com', workspaceIds: [] });
  for (const refused of [await withdraw(outside, build), await withdraw(cookie, 'rb_none')]) {
    t.equal(refused.json().error.code, 'build_not_found');
  }
  t.equal((await get(second)).statusCode, 200);
  t.equal((await withdraw(cookie, build)).statusCode, 204);
  for (const old of [token, second]) {
    for (const path of [old, `${old}/artifacts`, `${old}/agent/builds/${build}`, `${old}/agent/builds/${build}/log`])
      t.equal((await get(path)).statusCode, 404, path);
  }
  t.equal((await get(elsewhere)).statusCode, 200, 'a link to another build');
  t.equal((await get(await tokenOf(build))).statusCode, 200);
  const [entry] = (await entriesOf(h)).filter(({ action, result }) => action === 'build.unshare' && result === 'ok');
  t.match(entry, { actorKind: 'person', target: build });
});

t.test('only who sees a build can share it', async (t) => {
  const { h, build, cookie } = await start(t);
  const others = await h.signIn('owner', { org: h.other });
  const hidden = await h.signIn('developer', { email: 'hidden@example.com', workspaceIds: [] });
  t.equal((await share(h, others, build)).statusCode, 404);
  t.equal((await share(h, others, build, h.other.orgId)).json().error.code, 'build_not_found');
  t.equal((await share(h, hidden, build)).json().error.code, 'build_not_found');
  t.equal((await share(h, cookie, 'rb_none')).json().error.code, 'build_not_found');
  const byKey = await h.callConsole('POST', `/v1/organizations/${h.org.orgId}/builds/${build}/share`);
  t.equal(byKey.json().error.code, 'console_only');
});

t.test('visitors do not use up the requests of the team', async (t) => {
  const { h, build, token, get, cookie } = await start(t);
  const organization = await h.organizations.find(h.org.orgId);
  await h.organizations.setLimits(organization, { account_requests_per_minute: 5 }, false);
  const agent = `${token}/agent/builds/${build}`;
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) statuses.push((await get(agent)).statusCode);
  t.same(statuses, [200, 200, 200, 200, 200, 429, 429]);
  const asMember = { method: 'GET', headers: { cookie } } as const;
  const url = `/api/runner/v1/organizations/${h.org.orgId}/agent/builds/${build}`;
  t.equal((await h.inject({ ...asMember, url })).statusCode, 200);
});

t.test('logs do not contain the token of a link', async (t) => {
  const lines: string[] = [];
  const shared = await start(t, { log: (line) => void lines.push(line) });
  const path = `shared/${shared.token}/agent/builds/${shared.build}`;
  for (const address of [path, `${path}/log`, `${path}x`, `shared/${shared.token}x`]) {
    await shared.h.inject({ method: 'GET', url: `/api/runner/v1/${address}` });
    await shared.h.inject({ method: 'GET', url: `/${address}` });
  }
  t.match(lines.join(''), '/shared/***/agent/builds/');
  t.notMatch(lines.join(''), shared.token);
  const token = 'A-_z'.repeat(25);
  t.equal(redact(`/shared/${token}`), '/shared/***');
  t.equal(redact(`/api/runner/v1/shared/${token}/agent/builds/rb_1`), '/api/runner/v1/shared/***/agent/builds/rb_1');
  t.equal(redact('src/shared/clock.ts'), 'src/shared/clock.ts');
});
