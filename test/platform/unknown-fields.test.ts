// A misspelled field or query parameter is refused by every route of every API, and nothing is done.
// Runs in: soak
import t from 'tap';
import { z } from 'zod';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { putM4 } from '../harness/renting.js';

const TOKEN = 'an-operator-token-of-the-tests';
const CONSOLE_CODE = 'invalid_request';

interface Address {
  readonly route: AnyRoute;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly api: 'api' | 'console';
}

/** Every route that refuses what it does not know, with credentials that reach its handler. */
async function addresses(service: Harness): Promise<Address[]> {
  const cookie = await service.signIn('owner');
  const bearer = { authorization: `Bearer ${service.keys.all}` };
  const person = { cookie, origin: service.siteUrl };
  const console = `/api/runner/v1/organizations/${service.org.orgId}/agent`;
  const at =
    (root: string, api: Address['api'], headersOf: (route: AnyRoute) => Address['headers']) =>
    (route: AnyRoute): Address => {
      const path = route.path.replace(/:(\w+)/g, (_, name) => (name === 'org_id' ? service.org.orgId : 'NAME'));
      return {
        route,
        url: root + path,
        headers: { 'service-error-format': '2', ...headersOf(route) },
        api,
      };
    };
  const people = (route: AnyRoute) => (route.consoleOnly || route.sameOrigin ? person : bearer);
  return [
    ...service.api.routes.map(at('/api/v1', 'api', () => bearer)),
    ...service.api.routes.map(at(console, 'api', () => person)),
    ...service.console.routes.map(at('/api/runner', 'console', people)),
    ...service.operator.routes.map(at('/api/operator', 'console', () => ({ authorization: `Bearer ${TOKEN}` }))),
  ].filter(({ route, url }) => !route.ignoresUnknown && !url.includes('/NAME/NAME/'));
}

t.test('unknown query parameters, at every route', async (t) => {
  const service = await startHarness(t, { operatorToken: TOKEN });
  for (const { route, url, headers, api } of await addresses(service)) {
    const about = `${route.method} ${url}`;
    const type = route.rawBody ? { 'content-type': route.rawBody[0] ?? '' } : {};
    const answer = await service.inject({
      method: route.method,
      url: `${url}?zzyzx=1`,
      headers: { ...headers, ...type },
    });
    t.equal(answer.statusCode, 400, `${about} ${answer.body}`);
    const { code, message, ...rest } = answer.json().error;
    t.equal(code, api === 'api' ? 'invalid_query' : CONSOLE_CODE, about);
    t.match(message, /^Unknown query parameter zzyzx; /, about);
    if (api === 'api') t.match(rest.fields, [{ path: 'zzyzx' }], about);
    else t.equal(rest.details.fields[0], 'zzyzx', about);
  }
});

t.test('unknown body fields, at every route, with and without a body', async (t) => {
  const service = await startHarness(t, { operatorToken: TOKEN });
  let depths = 0;
  for (const { route, url, headers, api } of await addresses(service)) {
    if (route.method === 'GET' || route.rawBody) continue;
    for (const path of [[], ...(route.body ? objectsIn(route.body) : [])]) {
      depths += path.length > 0 ? 1 : 0;
      const about = `${route.method} ${url} ${[...path, 'zzyzx'].join('.')}`;
      const answer = await service.inject({
        method: route.method,
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(within(path, { zzyzx: 1 })),
      });
      t.equal(answer.statusCode, 400, `${about} ${answer.body}`);
      const { code, message } = answer.json().error;
      const wanted = api === 'api' ? (route.invalidBody ?? 'a class code of its own') : CONSOLE_CODE;
      t.equal(code, wanted, about);
      t.match(message, new RegExp(`^Unknown field ${[...path, 'zzyzx'].join('\\.')}; `), about);
    }
  }
  t.ok(depths > 0, 'objects inside of objects were among them');
});

/** Paths of the objects and lists of objects inside a shape. */
function objectsIn(shape: z.ZodType, path: string[] = []): string[][] {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodDefault || shape instanceof z.ZodNullable) {
    return objectsIn(shape.def.innerType as z.ZodType, path);
  }
  if (shape instanceof z.ZodArray) return objectsIn(shape.def.element as z.ZodType, [...path, '0']);
  if (!(shape instanceof z.ZodObject)) return [];
  const inner = Object.entries(shape.def.shape).flatMap(([name, field]) =>
    objectsIn(field as z.ZodType, [...path, name]),
  );
  return path.length > 0 ? [path, ...inner] : inner;
}

const within = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner: unknown, name) => (name === '0' ? [inner] : { [name]: inner }), value);

t.test('the most similar known name and the corrected request are suggested', async (t) => {
  const service = await startHarness(t);
  await putM4(service);
  const told = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, path, body === undefined ? {} : { body });
    t.equal(answer.statusCode, 400, answer.body);
    return answer.json().error;
  };
  const reset = await told('POST', '/rentals/rt_1/reset', { keepCache: true });
  t.equal(reset.code, 'invalid_setup');
  t.equal(reset.message, 'Unknown field keepCache; did you mean keep_cache?');
  t.same(reset.next, [
    {
      action: 'send_corrected',
      method: 'POST',
      path: '/api/v1/rentals/rt_1/reset',
      body: { keep_cache: true },
    },
  ]);
  const quote = await told('POST', '/quote', { tier: 'm4', hours: 24, quantity: 2 });
  t.equal(quote.code, 'invalid_quote');
  t.equal(quote.message, 'Unknown field quantity; known: tier, hours, units, names, start, setup.');
  const build = await told('POST', '/builds', { scirpt: 'make', repo: 'a/b', scriptt: 'x' });
  t.equal(build.code, 'invalid_build');
  t.equal(build.message, 'Unknown field scirpt; did you mean script?');
  t.match(build.fields, [
    { path: 'scirpt' },
    { path: 'scriptt' },
    { path: 'script', message: 'required', code: 'required' },
  ]);
  t.notMatch(JSON.stringify(build.next), 'send_corrected', 'which of the two is meant is not guessed');
  const order = await told('POST', '/orders', { tier: 'm4', hours: 24, setup: { xcodes: '16.2' } });
  t.equal(order.code, 'invalid_order');
  t.equal(order.message, 'Unknown field setup.xcodes; did you mean setup.xcode?');
  t.same(order.next[0].body, { tier: 'm4', hours: 24, setup: { xcode: '16.2' } });
  const query = await told('GET', '/builds?limt=5&status=running');
  t.equal(query.message, 'Unknown query parameter limt; did you mean limit?');
  t.equal(query.next[0].path, '/api/v1/builds?status=running&limit=5');
  t.equal(
    (
      await service.inject({
        url: query.next[0].path,
        headers: { authorization: `Bearer ${service.keys.all}` },
      })
    ).statusCode,
    200,
  );
  const secret = await told('PUT', '/secrets/TOKEN', { vaule: 'hunter2' });
  t.equal(secret.code, 'invalid_secret_value');
  t.notMatch(JSON.stringify(secret), 'hunter2', 'a secret is not repeated');
});

t.test('a request with unknown fields changes nothing', async (t) => {
  const service = await startHarness(t);
  const host = await startBuildHost(service, { macs: 1, hours: 48 });
  const [rental = ''] = host.rentals;
  const jobs = () => service.store.all('SELECT job_id FROM jobs');
  const before = await jobs();
  for (const body of [{ keepCache: true }, { keep_cache: true, wen: 'now' }]) {
    t.equal((await service.call('POST', `/rentals/${rental}/reset`, { body })).statusCode, 400);
  }
  t.same(await jobs(), before);

  const { order_no } = (
    await service.call('POST', '/orders', {
      body: { tier: 'm4', hours: 24, start: new Date(service.clock.now() + 86_400_000 * 5).toISOString() },
    })
  ).json();
  const cookie = await service.signIn('owner');
  const org = `/v1/organizations/${service.org.orgId}`;
  const person = (path: string, body: unknown) =>
    service.callConsole('POST', org + path, { key: null, headers: { cookie }, body });
  const consents = { terms: true, withdrawal: true };
  for (const body of [{ consents, outcom: 'declined' }, { consents: { ...consents, versoin: '1' } }]) {
    const answer = await person(`/orders/${order_no}/pay`, body);
    t.equal(answer.statusCode, 400, answer.body);
    t.equal(answer.json().error.code, 'invalid_request');
  }
  t.equal((await service.call('GET', `/orders/${order_no}`)).json().status, 'awaiting_payment');

  const keys = () => service.apiKeys.list(service.org.id);
  const had = (await keys()).length;
  for (const limit of [{ cidr: ['10.0.0.0/8'] }, { expires: '2030-01-01' }, { expiresAt: '2030-01-01' }]) {
    const answer = await person('/api-keys', { name: 'CI', levels: ['read'], ...limit });
    t.equal(answer.statusCode, 400, answer.body);
    t.match(answer.json().error.message, /did you mean (cidrs|expires_at)\?$/);
  }
  t.equal((await keys()).length, had);
  const report = { body: { token: service.keys.read, dry_run: true } };
  t.equal((await service.callConsole('POST', '/v1/leaked-keys', report)).statusCode, 400);
  t.equal((await service.call('GET', '/me', { key: service.keys.read })).statusCode, 200, 'it was not revoked');
});

t.test('an empty body is accepted by routes that take no body', async (t) => {
  const service = await startHarness(t);
  const path = '/api/v1/builds/rb_1/cancel';
  const send = async (payload: string | undefined, type = 'application/json') => {
    const headers = { authorization: `Bearer ${service.keys.all}`, 'service-error-format': '2' };
    const answer = await service.inject({
      method: 'POST',
      url: path,
      headers: { ...headers, ...(payload === undefined ? {} : { 'content-type': type }) },
      ...(payload === undefined ? {} : { payload }),
    });
    return answer.json().error;
  };
  for (const body of [undefined, '', '{}', 'null']) t.equal((await send(body)).code, 'build_not_found', String(body));
  t.equal((await send('', 'application/x-www-form-urlencoded')).code, 'build_not_found');
  t.equal((await send('reason=x', 'application/x-www-form-urlencoded')).code, 'invalid_build');
  t.equal((await send('{"reason":"x"}')).code, 'invalid_build');
  t.equal((await send('["x"]')).code, 'invalid_build');
  t.equal((await send('{"reason"')).code, 'invalid_json');
});

t.test('unusual field names are harmless', async (t) => {
  const service = await startHarness(t);
  for (const name of ['__proto__', 'constructor', 'toString', '', 'a'.repeat(100_000), '\u0000\u202e', '💥']) {
    const body = `{"tier":"m4","hours":24,${JSON.stringify(name)}:1}`;
    const answer = await service.inject({
      method: 'POST',
      url: '/api/v1/quote',
      headers: {
        authorization: `Bearer ${service.keys.all}`,
        'content-type': 'application/json',
        'service-error-format': '2',
      },
      payload: body,
    });
    t.equal(answer.statusCode, 400, name.slice(0, 20));
    t.equal(answer.json().error.code, 'invalid_quote');
    t.ok(answer.json().error.message.length < 300);
  }
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i]));
  const { error } = (await service.call('POST', '/quote', { body: { tier: 'm4', hours: 24, ...many } })).json();
  t.ok(error.fields.length <= 20, 'the list is short');
});
