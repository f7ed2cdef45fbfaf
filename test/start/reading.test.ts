// Runs in: soak
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import { startHarness } from '../harness/harness.js';

t.test('the reference is a valid OpenAPI document of every route', async (t) => {
  const { inject, api, console } = await startHarness(t);
  for (const [root, { routes }] of [
    ['/api/v1', api],
    ['/api/runner', console],
  ] as const) {
    const answer = await inject({ url: `${root}/openapi.json` });
    const document = answer.json();
    const { valid, errors } = await new Validator().validate(document);
    t.ok(valid, JSON.stringify(errors));
    t.equal(document.openapi, '3.1.0');
    t.equal('webhooks' in document, root === '/api/v1', 'only accounts of the API have webhooks');
    const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      // Paths with servers of their own belong to the other API.
      'servers' in methods
        ? []
        : Object.keys(methods)
            .filter((method) => method !== 'parameters')
            .map((method) => `${method.toUpperCase()} ${path}`),
    );
    t.same(described.sort(), routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).sort());
  }
  const { paths, components } = (await inject({ url: '/api/v1/openapi.json' })).json();
  const { post } = paths['/builds'];
  t.same(post.parameters, [{ $ref: '#/components/parameters/IdempotencyKey' }]);
  t.equal(components.parameters.IdempotencyKey.name, 'Idempotency-Key');
  t.equal(components.parameters.ErrorFormat.name, 'Service-Error-Format');
  const created = components.responses[post.responses['201'].$ref.split('/').at(-1)];
  t.same(Object.keys(created.headers), ['Idempotent-Replayed']);
  t.same(post.responses.default, { $ref: '#/components/responses/Error' });
  t.same(Object.keys(components.responses.Error.headers), ['Retry-After']);
});

t.test('the catalog and the pool are empty initially', async (t) => {
  const { call } = await startHarness(t);
  t.same((await call('GET', '/catalog')).json(), { tiers: [] });
  t.same((await call('GET', '/pool')).json(), { tiers: [], queue: { running_count: 0, queued_count: 0 } });
});

t.test('every error code has a page for people and one for programs; unknown codes have none', async (t) => {
  const { inject, siteUrl } = await startHarness(t);
  const index = await inject({ url: '/docs/errors', headers: { accept: 'text/html' } });
  const indexText = await inject({ url: '/docs/errors.md' });
  for (const [code, { status, fault, retryAfterS, message }] of Object.entries(errorCatalog)) {
    const page = await inject({ url: `/docs/errors/${code}`, headers: { accept: 'text/html,*/*;q=0.8' } });
    t.equal(page.statusCode, 200);
    t.match(page.headers['content-type'], /^text\/html/);
    t.ok(page.body.includes(`<h1><code>${code}</code></h1>`));
    t.match(page.headers['content-security-policy'], /default-src 'none'/);
    t.notMatch(page.body, /<script|undefined|\[object/, code);

    const text = await inject({ url: `/docs/errors/${code}`, headers: { accept: 'text/markdown, */*' } });
    t.match(text.headers['content-type'], /^text\/markdown/);
    t.equal((await inject({ url: `/docs/errors/${code}.md` })).body, text.body);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const asked = await inject({ url: `/docs/errors/${code}`, headers });
      t.equal(asked.body, text.body, 'who does not ask for HTML is a program');
    }
    t.match(text.headers.vary, /accept/i);
    for (const part of [`# ${code}\n`, message, `HTTP status: ${status}`, `Fault: ${fault}`, 'Who acts: ']) {
      t.ok(text.body.includes(part), `${code}: ${part}`);
    }
    t.match(text.body, /- What to do: \S.{15,}/, `${code} says what to do`);
    const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(text.body)?.[1] ?? '');
    t.match(example, {
      error: { code, retryable: retryAfterS !== null, message: String, request_id: String },
    });
    if (example.error.docs !== undefined) t.equal(example.error.docs, `${siteUrl}/docs/errors/${code}`);
    t.ok(index.body.includes(`href="/docs/errors/${code}"`));
    t.ok(indexText.body.includes(`/docs/errors/${code}.md`));
  }
  const exampleOf = async (code: string) => {
    const text = (await inject({ url: `/docs/errors/${code}.md` })).body;
    t.notMatch(text, /the same one will fail again/, `${code} is advised of in particular`);
    return JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '').error;
  };
  for (const code of Object.keys(errorCatalog)) await exampleOf(code);
  t.match(await exampleOf('no_capacity'), {
    next: [{ action: 'join_waitlist', method: 'POST', path: '/api/v1/waitlist', body: { tier: 'm4' } }],
  });
  t.match(await exampleOf('invalid_when'), {
    next: [{ method: 'POST', path: /\/reset$/, body: { keep_cache: true, when: 'after_build' } }],
  });
  t.match(await exampleOf('build_not_queued'), { next: [{ path: '/api/v1/builds/rb_01example' }] });
  for (const name of ['nothing', 'constructor', '__proto__', '<script>', '.md', 'constructor.md']) {
    const url = `/docs/errors/${encodeURIComponent(name)}`;
    const page = await inject({ url, headers: { accept: 'text/html,*/*;q=0.8' } });
    t.equal(page.statusCode, 404);
    if (name.endsWith('.md')) continue;
    t.match(page.headers['content-type'], /^text\/html/, 'a person sees a page');
    t.match(page.body, /No such code[\s\S]*href="\/docs\/errors"/);
    const text = await inject({ url, headers: { accept: 'text/markdown' } });
    t.match([text.statusCode, text.body], [404, /^# No such code[\s\S]*\/docs\/errors\.md/]);
  }
  t.match(index.headers['content-type'], /^text\/html/);
  t.match(indexText.headers['content-type'], /^text\/markdown/);
});

t.test('retired addresses answer that they are gone, with and without a key', async (t) => {
  const { call } = await startHarness(t);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const key of [undefined, null]) {
      const answer = await call(method, '/jobs', key === null ? { key } : {});
      t.equal(answer.statusCode, 410);
      t.equal(answer.json().error.code, 'rental_only');
    }
  }
  for (const [method, path] of [
    ['POST', '/orders/RT-1/cancel'],
    ['DELETE', '/orders/RT-1'],
  ] as const) {
    const answer = await call(method, path, { body: {} });
    t.equal(answer.statusCode, 410);
    t.equal(answer.json().error.code, 'endpoint_removed');
  }
});

t.test('the start documents explain how to get started', async (t) => {
  const { call, inject, keys, org } = await startHarness(t);
  const everybody = await inject({ url: '/agent-start.md' });
  t.equal(everybody.statusCode, 200);
  t.match(everybody.headers['content-type'], /^text\/markdown/);
  t.match(everybody.body, 'http://cidermill.test/api/v1');
  const mine = await call('GET', '/agent/start');
  t.match(mine.headers['content-type'], /^text\/markdown/);
  t.match(mine.body, 'Apple Press');
  t.match(mine.body, org.orgId);
  t.match(everybody.body, '## Secrets');
  t.match(mine.body, '/agent-start.md');
  t.match(mine.body, 'There is no Mac, and no tier is offered yet');
  t.match(mine.body, '1000000 requests a minute');
  const reading = (await call('GET', '/agent/start', { key: keys.read })).body;
  t.match(reading, 'cannot start builds, nor order, change Macs or set secrets');
  t.notMatch(reading, 'curl -sS -X P');
  t.match(mine.body, '"queue_until_rental":true', 'its first build waits for a Mac');
  for (const told of ['Service-Error-Format: 2', '/api/v1/openapi.json', 'notify_url', 'POST /webhooks']) {
    t.match(everybody.body, told);
  }
  t.match((await inject({ url: '/llms.txt' })).body, '/agent-start.md');
});
