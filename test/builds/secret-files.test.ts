// Secrets that no environment variable can hold: any bytes, stored as they are, and a file in builds.
import t from 'tap';
import { openStatusApi } from '../../control-plane/events/code-hosts/open.js';
import { startHarness } from '../harness/harness.js';
import { show, submit, withMacs } from '../harness/submitting.js';

const CERT = Buffer.from([0x30, 0x82, 0x00, 0xff, 0xfe, 0x0a, 0xc3]);

t.test('value_base64 takes any bytes; exactly one of it and value is needed', async (t) => {
  const { call, secrets, org } = await startHarness(t, { limits: { secret_bytes: 16 } });
  const put = (body: object) => call('PUT', '/secrets/CERT', { body });
  const stored = await put({ value_base64: CERT.toString('base64') });
  t.match(stored.json(), { name: 'CERT', kind: 'file', masked: true, warning: null });
  t.match((await call('GET', '/secrets')).json(), {
    secrets: [{ name: 'CERT', kind: 'file', readable: true }],
  });
  t.same(await secrets.reveal(org.id), [{ name: 'CERT', value: CERT.toString('base64'), encoding: 'base64' }]);

  t.match((await put({ value_base64: Buffer.from('text\n').toString('base64') })).json(), {
    kind: 'variable',
  });
  t.same(await secrets.reveal(org.id), [{ name: 'CERT', value: 'text\n' }]);
  t.match((await put({ value_base64: Buffer.from('a\0b').toString('base64') })).json(), { kind: 'file' });

  for (const [body, message] of [
    [{}, /exactly one/],
    [{ value: 'a', value_base64: 'YQ==' }, /exactly one/],
    [{ value_base64: 'YQ' }, /standard base64 with its padding/],
    [{ value_base64: 'YQ==\n' }, /standard base64/],
    [{ value_base64: '_-8=' }, /standard base64/],
    [{ value_base64: 'YR==' }, /standard base64/],
    [{ value_base64: '' }, /1 to 16 bytes/],
    [{ value_base64: Buffer.alloc(17).toString('base64') }, /1 to 16 bytes/],
    [{ value_base64: 7 }, /value_base64/],
    [{ value: 'a\0b' }, /without NUL; send other bytes as value_base64/],
    [{ value: 'a', base64: 'YQ==' }, /base64/],
  ] as const) {
    const refused = await put(body);
    t.equal(refused.statusCode, 400, JSON.stringify(body));
    t.match(refused.json().error, { code: 'invalid_secret_value', message });
  }
});

t.test('a token that the service itself reads must be text', async (t) => {
  const h = await startHarness(t);
  const names = [
    'GIT_TOKEN',
    ...(['github', 'gitlab'] as const).flatMap((kind) => {
      const api = { kind, url: 'https://api.example' };
      return openStatusApi(api, { timeoutMs: 1, clock: h.clock }).secretNames;
    }),
  ];
  t.ok(names.includes('GITLAB_STATUS_TOKEN'));
  for (const name of names) {
    const put = (bytes: Buffer) =>
      h.call('PUT', `/secrets/${name}`, { body: { value_base64: bytes.toString('base64') } });
    const refused = await put(CERT);
    t.equal(refused.statusCode, 400, name);
    t.match(refused.json().error, { code: 'invalid_secret_value', message: /must be text without NUL/ });
    t.match((await put(Buffer.from('ghp_1'))).json(), { kind: 'variable' });
  }
  t.equal(await h.secrets.revealFirst(h.org.id, ['GIT_TOKEN']), 'ghp_1');
});

t.test('a host gets the bytes; one that is too old for them gets no build with them', async (t) => {
  const { h, host } = await withMacs(t, 1);
  await h.secrets.put(h.org.id, 'CERT', { value_base64: CERT.toString('base64') });
  const first = await submit(h, {});
  const [desired] = await host.desired();
  t.same(desired?.secrets, [{ name: 'CERT', value: CERT.toString('base64'), encoding: 'base64' }]);
  await host.start();
  await host.finish(first.id);

  host.protocol = 2;
  await host.disconnect();
  await host.connect();
  const { id } = await submit(h, {});
  t.same(await host.desired(), []);
  t.match(await show(h, id), {
    status: 'failed',
    failure: { reason_code: 'internal_error', summary: /does not support secrets that are files \(CERT\)/ },
  });
  await h.secrets.remove(h.org.id, 'CERT');
  await h.secrets.put(h.org.id, 'TOKEN', { value: 'text' });
  const next = await submit(h, {});
  t.match(await host.desired(), [{ build_id: next.id, secrets: [{ name: 'TOKEN' }] }]);
});
