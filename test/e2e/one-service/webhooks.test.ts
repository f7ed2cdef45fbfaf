// Webhooks from the running service to the receiver in docs/webhooks.md, unchanged (except where the
// package is imported from and where it listens).
// Runs in: soak
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { createClient } from '../../../client/index.js';
import { testPayload } from '../../../control-plane/builds/domain/event-payload.js';
import { signedHeaders } from '../../../control-plane/platform/domain/webhook-signature.js';
import { cidermill } from '../../harness/cli.js';
import { until } from '../../harness/until.js';
import { sharedService } from './shared-service.js';

const root = new URL('../../../../', import.meta.url).pathname;

t.test('the documented receiver, and retries on the test clock', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-receiver-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1];
  if (!example) throw new Error('docs/webhooks.md has no example');
  const program = example
    .replace("'cidermill/client'", `'${join(root, 'dist/client/index.js')}'`)
    .replace(
      '.listen(8080)',
      ".listen(Number(process.argv[2]), '127.0.0.1', function () { process.send(this.address().port); })",
    );
  writeFileSync(join(dir, 'receiver.mjs'), program);
  let receiver: ChildProcess | null = null;
  const stop = async () => {
    if (receiver?.exitCode !== null || !receiver.kill('SIGKILL')) return;
    await once(receiver, 'exit');
    receiver = null;
  };
  t.teardown(stop);
  const listen = async (port: number, secret: string): Promise<number> => {
    await stop();
    receiver = spawn(process.execPath, [join(dir, 'receiver.mjs'), String(port)], {
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(receiver, 'exit').then(() => Promise.reject(new Error('the receiver does not run')));
    // It exits when the test stops it; nothing waits for it here.
    ended.catch(() => undefined);
    const [message] = await Promise.race([once(receiver, 'message'), ended]);
    return Number(message);
  };

  const service = await sharedService();
  const send = async (url: string, method: string, body?: object) => {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    // The fields that this test uses.
    const parsed = (await answer.json()) as {
      id: string;
      secret: string;
      status: string;
      deliveries: unknown[];
    };
    return { status: answer.status, body: parsed };
  };
  const call = (method: string, path: string, body?: object) => send(service.base_url + path, method, body);

  const port = await listen(0, 'not yet known');
  const url = `http://127.0.0.1:${port}/hook`;
  const made = (await call('POST', '/webhooks', { url, events: ['build.cancelled'] })).body;
  t.match(made, { status: 'disabled', test: { http_status: 401 } }, 'it cannot know its secret yet');
  await listen(port, made.secret);
  t.match((await call('POST', `/webhooks/${made.id}/test`)).body, {
    status: 'enabled',
    test: { http_status: 204 },
  });

  await stop();
  const submit = ['build', '--dir', dir, '--script', 'sleep 300', '--detach', '--json'];
  const { id } = JSON.parse((await cidermill(service.env, dir, ...submit)).stdout);
  await call('POST', `/builds/${id}/cancel`);
  await until(async () => (await call('GET', `/builds/${id}`)).body.status === 'cancelled', 'cancelled');
  await send(`${service.site_url}/dev/clock`, 'POST', { advance_ms: 0 });
  const delivery = async () => (await call('GET', `/webhooks/${made.id}/deliveries`)).body.deliveries[0];
  t.match(await delivery(), {
    event_type: 'build.cancelled',
    status: 'pending',
    attempt: 1,
    error: /ECONNREFUSED/,
  });
  await listen(port, made.secret);
  t.equal((await send(`${service.site_url}/dev/clock`, 'POST', { advance_ms: 10_000 })).status, 200);
  t.match(await delivery(), { status: 'delivered', attempt: 2, http_status: 204 }, 'when the clock has answered');

  const { webhooks } = createClient({ url: service.base_url, key: service.api_key });
  const listed = (await webhooks.list()).webhooks.find((one) => one.id === made.id);
  t.match(listed, { status: 'enabled' });
  t.match(await webhooks.get(made.id), { url });
  t.match(await webhooks.update(made.id, { events: ['build.failed'] }), { events: ['build.failed'] });
  const { deliveries, next_before } = await webhooks.deliveries(made.id, { status: 'delivered', limit: 5 });
  t.match([deliveries.length, next_before], [1, null]);
  const [first] = deliveries;
  t.match(await webhooks.redeliver(made.id, first?.id ?? ''), { id: first?.id });
  await send(`${service.site_url}/dev/clock`, 'POST', { advance_ms: 0 });
  t.same(await webhooks.redeliverSince(made.id, '2020-01-01', { status: 'failed' }), { redelivered: 0 });
  t.match(await webhooks.rotate(made.id, { graceS: 60 }), { secret: /^whsec_/ });
  t.match(await webhooks.test(made.id), { test: { http_status: 204 } }, 'signed with the old secret too');
  t.same(await webhooks.delete(made.id), { id: made.id, deleted: true });
});

t.test('the documented receiver for servers that pass a Request', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-receiver-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const [, example = ''] = [
    ...readFileSync(join(root, 'docs/webhooks.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g),
  ].map(([, text = '']) => text);
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  const { outputText } = ts.transpileModule(example, { compilerOptions: options });
  const file = join(dir, 'route.mjs');
  writeFileSync(file, outputText.replace("'cidermill/client'", `'${join(root, 'dist/client/index.js')}'`));
  const { POST } = (await import(file)) as { POST(request: Request): Promise<Response> };
  process.env.WEBHOOK_SECRET = 'whsec_documented';
  t.teardown(() => delete process.env.WEBHOOK_SECRET);
  const body = JSON.stringify(testPayload('evt_1', Date.now()));
  const about = { eventType: 'webhook.test', eventId: 'evt_1', deliveryId: 'dl_1', body };
  const answerTo = async (current: string) => {
    const headers = signedHeaders(about, { current, previous: null }, Date.now());
    const answer = await POST(new Request('https://ci.example.com/hook', { method: 'POST', headers, body }));
    return [answer.status, await answer.text()];
  };
  t.same(await answerTo('whsec_documented'), [204, '']);
  t.same(await answerTo('whsec_another'), [401, 'wrong_signature']);
});
