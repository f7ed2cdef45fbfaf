// The reference of the API as a whole: valid, small enough to be read, and complete for a key.
// Runs in: soak
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { isObject } from '../../shared/is-object.js';
import { startHarness } from '../harness/harness.js';

/** Bytes. */
const LARGEST = 92_800;

t.test('errors are described once, every reference resolves, and the document is valid OpenAPI 3.1', async (t) => {
  const { call, callConsole } = await startHarness(t);
  for (const answer of [await call('GET', '/openapi.json'), await callConsole('GET', '/openapi.json')]) {
    t.ok(Buffer.byteLength(answer.body) < LARGEST, `${Buffer.byteLength(answer.body)} bytes`);
    const document = answer.json();
    const result = await new Validator().validate(JSON.parse(answer.body));
    t.same(result.errors ?? [], []);
    for (const [, path] of answer.body.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = (path ?? '').split('/').reduce((at, name) => at?.[name], document);
      t.type(found, 'object', String(path));
    }
    for (const [path, methods] of Object.entries<Record<string, { responses?: object }>>(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        if (responses) t.ok('default' in responses, path);
      }
    }
  }
});

t.test('the document of the console’s API says what holds there, in both forms', async (t) => {
  const { callConsole } = await startHarness(t);
  const brief = (await callConsole('GET', '/openapi.json')).json();
  t.notMatch(brief.info.description, 'Service-Error-Format', 'a header of the API');
  const full = await callConsole('GET', '/openapi.json?form=full');
  t.same((await new Validator().validate(JSON.parse(full.body))).errors ?? [], []);
  const { CreditEntry, CreditBalance } = brief.components.schemas;
  t.match(brief.info.description, 'No number of an answer is negative');
  for (const field of [
    CreditEntry.properties.micro_usd,
    CreditEntry.properties.krw,
    CreditBalance.properties.balance_micro_usd,
  ]) {
    t.match(field.description, /negative/i, 'but these can be');
  }
});

t.test('operations of the console’s API that accept keys are included, with their server URL', async (t) => {
  const { call, siteUrl } = await startHarness(t);
  const { paths } = (await call('GET', '/openapi.json')).json();
  for (const [path, method] of [
    ['/v1/files', 'get'],
    ['/v1/files/{file_id}', 'delete'],
    ['/v1/jobs/{job_id}/artifacts/{file_id}', 'get'],
    ['/v1/downloads/{ticket}', 'get'],
  ] as const) {
    t.same(paths[path].servers, [{ url: `${siteUrl}/api/runner` }], path);
    t.ok(paths[path][method], path);
  }
  t.notOk(
    Object.keys(paths).some((path) => path.includes('api-keys')),
    'what is for people does not',
  );
});

t.test('the error for a receiver URL lists all rules', async (t) => {
  const { call } = await startHarness(t);
  const body = { url: 'http://10.0.0.1:22/x' };
  const { message } = (await call('POST', '/webhooks', { body })).json().error;
  for (const rule of ['https', '443', 'user name', 'private', 'link-local', '2048']) t.match(message, rule);
});

t.test('the full form repeats on each operation what the brief form states once', async (t) => {
  const { call } = await startHarness(t);
  t.match((await call('GET', '/openapi.json')).json().info.description, 'the header Service-Error-Format');
  const [brief, full] = await Promise.all([call('GET', '/openapi.json'), call('GET', '/openapi.json?form=full')]);
  t.same((await new Validator().validate(JSON.parse(full.body))).errors ?? [], []);
  const operationsOf = (answer: typeof full) =>
    Object.entries<object>(answer.json().paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) => (method === 'parameters' ? [] : [`${method} ${path}`])),
    );
  t.same(operationsOf(brief), operationsOf(full));
  const { schemas } = full.json().components;
  t.same(schemas.AgentStatus.required, Object.keys(schemas.AgentStatus.properties));
  t.equal(schemas.BuildRequest.additionalProperties, false);
  const names = (answer: typeof full) => Object.keys(answer.json().components.schemas);
  const isBase = (name: string) => /Fields$/.test(name);
  t.same(
    names(brief).filter((name) => !isBase(name)),
    names(full),
    'the brief form adds only what several schemas share',
  );
});

t.test('a response with an undeclared code is detected', async (t) => {
  const { call, inject, api, keys } = await startHarness(t);
  const refused = await call('GET', '/me', { key: null });
  t.equal(refused.statusCode, 401);
  t.match(api.conformance.check('GET', '/api/v1/openapi.json', refused), /not declared/, 'a public route with 401');
  const missing = await call('GET', '/builds/rb_none');
  t.match(api.conformance.check('GET', '/api/v1/me', missing), /build_not_found/);
  t.match(api.conformance.check('GET', '/api/v1/webhooks/wh_1', missing), /build_not_found/, 'the same status');
  const broken = await inject({
    method: 'POST',
    url: '/api/v1/quote',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys.all}` },
    payload: '{',
  });
  t.equal(broken.json().error, 'invalid_json');
  t.match(api.conformance.check('GET', '/api/v1/me', broken), /invalid_json/, 'a GET has no body');
});

/** Returns the texts and titles of a document by their places, without its introduction. */
function textsOf(node: unknown, at = '', found = new Map<string, string>()): Map<string, string> {
  if (Array.isArray(node)) for (const [index, item] of node.entries()) textsOf(item, `${at}/${index}`, found);
  if (!isObject(node)) return found;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'info' && at === '') continue;
    const isText = ['title', 'description', 'summary'].includes(name) && typeof value === 'string';
    if (isText) found.set(`${at}/${name}`, value);
    else textsOf(value, `${at}/${name}`, found);
  }
  return found;
}

t.test('a text of the brief form is the first sentence of the same text in the full form', async (t) => {
  const { call, callConsole } = await startHarness(t);
  for (const read of [call, callConsole]) {
    const brief = textsOf((await read('GET', '/openapi.json')).json());
    const full = textsOf((await read('GET', '/openapi.json?form=full')).json());
    const sentences = new Set<string>();
    for (const text of full.values()) {
      t.match(text, /^([A-Z0-9`…]|\w+: )/, `begins as a sentence or a name: ${text}`);
      for (const paragraph of [text, ...text.split('\n\n')]) sentences.add(paragraph.replace(/\.( .*)?$/s, ''));
      sentences.add(text);
    }
    t.ok(brief.size > 100, `${brief.size} texts`);
    for (const [place, text] of brief) {
      t.notOk(place.endsWith('/title'), place);
      if (!sentences.has(text)) t.fail(`${place} says otherwise than the full form: ${text}`);
    }
  }
});
