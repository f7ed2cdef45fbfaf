// The API as the console sees it: the same table, mounted a second time below each organization, with a session.
// Runs in: soak
import { Readable } from 'node:stream';
import t from 'tap';
import { levels } from '../../control-plane/platform/domain/caller.js';
import { type Role, roles } from '../../control-plane/platform/domain/role.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { sha256 } from '../harness/sha256.js';
import { withMacs } from '../harness/submitting.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

const mountOf = (orgId: string) => `/api/runner/v1/organizations/${orgId}/agent`;

const send = (h: Harness, headers: Record<string, string>, method: string, url: string, body?: unknown) =>
  h.inject({
    method: method as 'GET',
    url,
    headers: {
      'service-error-format': '2',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });

/** An address of the route that leads nowhere in particular; nothing waits long. */
const address = ({ path }: AnyRoute) => path.replace(/:\w+/g, 'x_none');

const codeOf = (answer: { statusCode: number; json(): { error: { code: string } } }) =>
  answer.statusCode < 400 ? 'ok' : answer.json().error.code;

t.test('every route stands at both addresses, and each takes its own credentials only', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  const authorization = `Bearer ${h.keys.all}`;
  const mount = mountOf(h.org.orgId);
  for (const route of h.api.routes) {
    const about = `${route.method} ${route.path}`;
    const ask = async (headers: Record<string, string>, root: string) =>
      codeOf(await send(h, headers, route.method, root + address(route)));
    if (route.level === null) {
      t.equal(await ask({}, mount), await ask({}, '/api/v1'), about);
      continue;
    }
    t.equal(await ask({ cookie }, mount), await ask({ authorization }, '/api/v1'), `${about} answers alike`);
    t.equal(await ask({ cookie }, '/api/v1'), 'api_key_required', about);
    t.equal(await ask({}, mount), 'session_required', about);
    t.equal(await ask({ authorization }, mount), 'console_only', about);
    t.equal(await ask({ authorization, cookie }, mount), 'console_only', about);
    t.equal(await ask({ cookie }, mountOf(h.other.orgId)), 'not_found', about);
  }
});

t.test('a developer reads and builds, owners and admins manage', async (t) => {
  const h = await startHarness(t);
  const allowed: Record<Role, readonly string[]> = {
    owner: levels,
    admin: levels,
    developer: ['read', 'build'],
  };
  const mount = mountOf(h.org.orgId);
  for (const role of roles) {
    const cookie = await h.signIn(role);
    for (const route of h.api.routes.filter(({ level }) => level !== null)) {
      const answer = await send(h, { cookie }, route.method, mount + address(route));
      const may = allowed[role].includes(route.level ?? '');
      t.equal(codeOf(answer) === 'insufficient_scope', !may, `${role} ${route.method} ${route.path}`);
      if (may) continue;
      t.match(answer.json().error, {
        message: /The role developer/,
        required_level: route.level,
        key_levels: ['read', 'build'],
      });
    }
    t.same((await send(h, { cookie }, 'GET', `${mount}/me`)).json().scopes, [
      ...allowed[role].map((level) => `agent:${level}`),
    ]);
  }
});

t.test('a person builds from the console, repeats safely, and finds the errors listed', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const headers = { cookie: await h.signIn('developer') };
  const mount = mountOf(h.org.orgId);
  t.match((await send(h, headers, 'GET', `${mount}/me`)).json(), {
    account: { org_id: h.org.orgId },
    key: null,
    workspace_id: h.org.workspaceId,
  });

  const submit = (key: string, script = 'make') =>
    send(h, { ...headers, 'idempotency-key': key }, 'POST', `${mount}/builds`, {
      repo: 'owner/name',
      script,
    });
  const first = await submit('one');
  t.equal(first.statusCode, 201);
  const again = await submit('one');
  t.equal(again.headers['idempotent-replayed'], 'true');
  t.equal(again.body, first.body);
  t.equal(codeOf(await submit('one', 'make test')), 'idempotency_conflict');

  const { id } = first.json();
  await h.workers.idle();
  await host.start();
  await host.output(id, 'hello\n');
  const log = await send(h, headers, 'GET', `${mount}/builds/${id}/log`);
  t.equal(log.body, 'hello\n');
  await host.finish(id);
  t.equal((await send(h, headers, 'GET', `${mount}/builds/${id}/wait`)).json().status, 'succeeded');
  t.equal((await h.call('GET', `/builds/${id}`)).json().id, id, 'a key of the organization sees it too');

  t.equal(codeOf(await send(h, headers, 'GET', `${mount}/builds/rb_none`)), 'build_not_found');
  const { errors } = (await send(h, headers, 'GET', `${mount}/errors`)).json();
  t.match(errors[0], { code: 'build_not_found', path: `${mount}/builds/rb_none`, key_name: null });
});

t.test('addresses that are not there say so in the words of the API', async (t) => {
  const h = await startHarness(t);
  const headers = { cookie: await h.signIn('owner') };
  const mount = mountOf(h.org.orgId);
  for (const path of ['/nothing', '/builds/x/nothing', '/']) {
    const answer = await send(h, headers, 'GET', mount + path);
    t.equal(answer.statusCode, 404);
    t.match(answer.json().error, {
      code: 'not_found',
      fault: 'client',
      next: [{ method: 'GET', path: `${mount}/openapi.json` }],
    });
  }
  const wrong = await send(h, headers, 'DELETE', `${mount}/me`);
  t.equal(wrong.json().error.code, 'method_not_allowed');
  t.equal(wrong.headers.allow, 'GET, HEAD, OPTIONS');
  const options = await send(h, headers, 'OPTIONS', `${mount}/secrets/X`);
  t.equal(options.statusCode, 204);
  t.equal(options.headers.allow, 'DELETE, OPTIONS, PUT');
  const old = await h.inject({ url: `${mount}/builds/rb_none`, headers });
  t.equal(old.json().error, 'build_not_found', 'the older format too');
});

t.test('what an error suggests can be sent where the request was sent', async (t) => {
  const h = await startHarness(t);
  const headers = { cookie: await h.signIn('owner') };
  const mount = mountOf(h.org.orgId);
  const failures = [
    await send(h, headers, 'GET', `${mount}/builds/rb_none`),
    await send(h, headers, 'POST', `${mount}/builds`, { script: 'make', repo: 'a/b' }),
    await send(h, headers, 'POST', `${mount}/builds`, { script: 'make' }),
    await send(h, headers, 'PUT', `${mount}/secrets/lower`, { value: 'hunter2' }),
  ];
  for (const failure of failures) {
    const { code, next } = failure.json().error;
    t.ok(next.length > 0, code);
    for (const { method, path, body } of next) {
      t.ok(path.startsWith(`${mount}/`) || path.startsWith('/docs/errors/'), path);
      t.equal((await send(h, headers, method, path, body)).statusCode, 200, `${code}: ${method} ${path}`);
    }
  }
});

t.test('files of a workspace are there for its people', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const cookies = {
    owner: await h.signIn('owner'),
    developer: await h.signIn('developer'),
    stranger: await h.signIn('owner', { org: h.other }),
  };
  const { announce, sendBlobs } = uploader(h);
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  await sendBlobs(id, [record('x')]);
  const build = (await h.call('POST', '/builds', { body: { repo: 'owner/name', script: 'make' } })).json();
  await h.workers.idle();
  await host.start();
  const artifact = { buildId: build.id, attempt: 1, name: 'a.txt', bytes: 1, sha256: sha256('x') };
  await h.artifacts.store(artifact, Readable.from([Buffer.from('x')]));

  const ask = (who: keyof typeof cookies, method: string, path: string, more: Record<string, string> = {}) =>
    send(h, { cookie: cookies[who], ...more }, method, `/api/runner${path}`);
  const own = `/v1/files?workspace_id=${h.org.workspaceId}`;
  for (const who of ['owner', 'developer'] as const) {
    const { data, total_bytes } = (await ask(who, 'GET', own)).json();
    t.same(data.map(({ kind }: { kind: string }) => kind).sort(), ['artifact', 'upload']);
    t.equal(total_bytes, 2);
    const [{ download_url: url }] = (await ask(who, 'GET', `${own}&kind=artifact`)).json().data;
    t.match((await send(h, { cookie: cookies[who] }, 'GET', url)).json().url, /^http/);
    t.equal(codeOf(await send(h, { cookie: cookies.stranger }, 'GET', url)), 'not_found');
  }
  const unsaid = await ask('owner', 'GET', '/v1/files');
  t.match(unsaid.json().error, { code: 'invalid_request', details: { fields: ['workspace_id'] } });
  const twice = await ask('owner', 'GET', `${own}&workspace_id=${h.org.workspaceId}`);
  t.equal(codeOf(twice), 'invalid_request');
  for (const workspace of [h.org.workspaceId, 'ws_none']) {
    t.equal(codeOf(await ask('stranger', 'GET', `/v1/files?workspace_id=${workspace}`)), 'not_found');
  }
  t.equal(codeOf(await h.callConsole('GET', '/v1/files', { key: null })), 'api_key_required');
  const ended = { cookie: 'cidermill_session=x' };
  t.equal(codeOf(await h.callConsole('GET', own, { key: null, headers: ended })), 'api_key_required');

  t.equal(codeOf(await ask('stranger', 'DELETE', `/v1/files/${id}`)), 'not_found');
  t.equal(codeOf(await ask('owner', 'DELETE', '/v1/files/up_none')), 'not_found');
  const forged = { 'sec-fetch-site': 'cross-site' };
  t.equal(codeOf(await ask('developer', 'DELETE', `/v1/files/${id}`, forged)), 'forbidden');
  t.equal((await ask('developer', 'DELETE', `/v1/files/${id}`)).statusCode, 204);
  t.equal(codeOf(await ask('developer', 'DELETE', `/v1/files/${id}`)), 'not_found');
});
