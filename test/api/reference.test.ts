// The reference of the agent API as a whole: valid, small enough to be read, and complete for a key.
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { startHarness } from './harness.js';

/** Bytes; more than twice as much before errors were shared. */
const LARGEST = 130_000;

t.test('errors are told once, every reference leads somewhere, and it is valid OpenAPI 3.1', async (t) => {
  const { call, callRunner } = await startHarness(t);
  for (const answer of [await call('GET', '/openapi.json'), await callRunner('GET', '/openapi.json')]) {
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

t.test('what a key may do in family B stands beside, with its own address', async (t) => {
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

t.test('messages that name every choice', async (t) => {
  const { call } = await startHarness(t);
  const body = { url: 'http://10.0.0.1:22/x' };
  const { message } = (await call('POST', '/webhooks', { body })).json().error;
  for (const rule of ['https', '443', 'user name', 'private', 'link-local', '2048']) t.match(message, rule);
});
