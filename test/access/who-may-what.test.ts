// Every endpoint of the console's API by every kind of caller, against the table in who-may-what.ts, and every error code of the
// API.
import t from 'tap';
import { bearer } from '../harness/answer.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { testRoute } from '../harness/test-route.js';
import { manifestOf, uploader } from '../harness/upload-bodies.js';
import { type CallerName, callers, whoMayWhat } from './who-may-what.js';

const refusals = new Set(
  Object.values(whoMayWhat).flatMap((codes) =>
    Object.values(codes).filter((code) => code !== null && code !== 'not_found'),
  ),
);
/** Streams: a caller who may read them gets no end. */
const endless = /\/live$/;

t.test('the table of who may call what holds at every endpoint', async (t) => {
  const h = await startHarness(t, { limits: { sign_in_failures_per_minute_address: 1_000_000 } });
  const suspended = await h.organizations.create({ name: 'Suspended' });
  const all = ['read', 'build', 'manage'] as const;
  const owner = { accountId: suspended.id, workspaceId: suspended.workspaceId, name: 'all', levels: all };
  const { key } = await h.apiKeys.create(owner);
  const file = async (of: string) => (await uploader(h).announce(manifestOf({ a: 'x' }), { key: of })).json().id;
  const files = { ours: await file(h.keys.all), suspended: await file(key) };
  const headers: Record<CallerName, Record<string, string>> = {
    nobody: {},
    'key: read': bearer(h.keys.read),
    'key: build': bearer(h.keys.build),
    'key: manage': bearer(h.keys.manage),
    owner: { cookie: await h.signIn('owner') },
    admin: { cookie: await h.signIn('admin') },
    developer: { cookie: await h.signIn('developer') },
    'owner of another organization': { cookie: await h.signIn('owner', { org: h.other }) },
    'owner of the suspended organization': { cookie: await h.signIn('owner', { org: suspended }) },
  };
  await h.organizations.setStatus(await h.organizations.find(suspended.orgId), 'suspended');
  t.same(
    Object.keys(whoMayWhat).sort(),
    h.console.routes.map(({ method, path }) => `${method} ${path}`).sort(),
    'every endpoint has a row: add a new one to test/access/who-may-what.ts',
  );
  // Those that end a session come last.
  const rows = Object.entries(whoMayWhat).sort(
    ([a], [b]) => Number(/\/session$/.test(a)) - Number(/\/session$/.test(b)),
  );
  for (const [name, codes] of rows) {
    const [method = '', path = ''] = name.split(' ');
    for (const caller of callers) {
      const inSuspended = caller === 'owner of the suspended organization';
      const org = inSuspended ? suspended : h.org;
      const wanted = codes[caller];
      if (wanted === null && endless.test(path)) continue;
      const url = path
        .replace(':org_id', org.orgId)
        .replace(':file_id', inSuspended ? files.suspended : files.ours)
        .replace(/:\w+/g, 'NAME');
      const query = path === '/v1/files' && 'cookie' in headers[caller] ? `?workspace_id=${org.workspaceId}` : '';
      const answer = await h.inject({
        method: method as 'GET',
        url: `/api/runner${url}${query}`,
        headers: headers[caller],
      });
      const code = answer.statusCode < 400 ? null : answer.json().error.code;
      if (wanted !== null) t.equal(code, wanted, `${name} by ${caller}`);
      else t.notOk(refusals.has(code), `${name} by ${caller} is allowed: ${code}`);
    }
  }
});

/** The table of the contract: status, whether to retry, and a request that gets the code. */
const codes: Readonly<Record<string, { status: number; retryable: boolean; provoke: (h: Provoked) => Request }>> = {
  invalid_request: {
    status: 400,
    retryable: false,
    provoke: ({ cookie, invites }) => ({
      method: 'POST',
      url: invites,
      headers: { cookie },
      payload: { email: 7 },
    }),
  },
  api_key_required: {
    status: 401,
    retryable: false,
    provoke: () => ({ url: '/v1/files' }),
  },
  api_key_revoked_leaked: {
    status: 401,
    retryable: false,
    provoke: ({ leaked }) => ({ url: '/v1/files', headers: bearer(leaked) }),
  },
  invalid_api_key: {
    status: 401,
    retryable: false,
    provoke: () => ({ url: '/v1/files', headers: bearer(`mk_${'0'.repeat(36)}`) }),
  },
  session_required: {
    status: 401,
    retryable: false,
    provoke: ({ invites }) => ({ url: invites }),
  },
  console_only: {
    status: 403,
    retryable: false,
    provoke: ({ h, invites }) => ({ url: invites, headers: bearer(h.keys.all) }),
  },
  insufficient_permission: {
    status: 403,
    retryable: false,
    provoke: ({ h }) => ({ method: 'DELETE', url: '/v1/files/up_x', headers: bearer(h.keys.read) }),
  },
  not_found: {
    status: 404,
    retryable: false,
    provoke: ({ cookie, invites }) => ({ method: 'DELETE', url: `${invites}/inv_x`, headers: { cookie } }),
  },
  rate_limited: {
    status: 429,
    retryable: true,
    provoke: ({ cookie }) => ({ url: '/v1/sessions', headers: { cookie } }),
  },
  internal_error: {
    status: 500,
    retryable: true,
    provoke: ({ h }) => ({ url: '/v1/breaks', headers: bearer(h.keys.all) }),
  },
};

interface Request {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Record<string, string>;
  readonly payload?: object;
}

interface Provoked {
  readonly h: Harness;
  readonly cookie: string;
  readonly leaked: string;
  readonly invites: string;
}

t.test('every error code of the API is given for its reason, in one envelope', async (t) => {
  const broken = testRoute({
    method: 'GET',
    path: '/v1/breaks',
    level: 'read',
    summary: 'For tests',
    responses: { 200: 'text/plain' },
    handle: async () => {
      throw new Error('a secret detail');
    },
  });
  const h = await startHarness(t, { extraConsoleRoutes: () => [broken], limits: { requests_per_minute: 4 } });
  const cookie = await h.signIn('owner');
  const leaked = await h.createKey(['read']);
  await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: leaked } });
  const about = { h, cookie, leaked, invites: `/v1/organizations/${h.org.orgId}/invites` };
  const ask = ({ url, ...request }: Request) => h.server.inject({ ...request, url: `/api/runner${url}` });
  for (const [code, { status, retryable, provoke }] of Object.entries(codes)) {
    // The last of the owner's four requests was the one before.
    if (code === 'rate_limited') for (const _ of [1, 2]) await ask({ url: '/v1/session', headers: { cookie } });
    const answer = await ask(provoke(about));
    t.equal(answer.statusCode, status, code);
    const { error, ...rest } = answer.json();
    t.same(rest, {}, 'the body is {error}');
    t.match(error, { code, retryable, message: String, request_id: answer.headers['x-request-id'] });
    t.notMatch(answer.body, 'secret detail');
    t.same(
      code === 'invalid_request' ? error.details.fields.sort() : [],
      code === 'invalid_request' ? ['email', 'role'] : [],
    );
    t.equal('retry-after' in answer.headers, retryable, `Retry-After with ${code}`);
  }
});
