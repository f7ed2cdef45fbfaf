// The signing secrets of webhooks.
import { join } from 'node:path';
import t from 'tap';
import { rotateKey } from '../../control-plane/admin/key-rotation.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { startHarness } from '../harness/harness.js';
import { signedBy } from '../harness/receiver.js';
import { HOUR } from '../harness/submitting.js';
import { checkSent, passes, register, startReceiver, type WebhookView } from './webhook-rig.js';

t.test('a rotated secret: both sign for a time of grace, then only the new one', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const webhook = await register(h, receiver);
  const rotate = async (body?: object): Promise<WebhookView> =>
    (await h.call('POST', `/webhooks/${webhook.id}/rotate`, body ? { body } : {})).json();
  const signatures = async (...secrets: string[]) => {
    await h.call('POST', `/webhooks/${webhook.id}/test`);
    const last = receiver.got.at(-1);
    return last ? secrets.map((secret) => signedBy(secret, last).join()) : [];
  };
  const second = (await rotate()).secret;
  t.match(second, /^whsec_/);
  t.not(second, webhook.secret);
  t.same(await signatures(second, webhook.secret), ['x-svc-signature', 'x-svc-signature-previous']);
  await passes(h, 24 * HOUR - 1);
  t.same(await signatures(webhook.secret), ['x-svc-signature-previous'], 'a day by default');
  await passes(h, 1);
  t.same(await signatures(second, webhook.secret), ['x-svc-signature', '']);
  const third = (await rotate({ grace_s: 60 })).secret;
  const fourth = (await rotate({ grace_s: 60 })).secret;
  t.same(await signatures(fourth, third, second), ['x-svc-signature', 'x-svc-signature-previous', ''], 'two at most');
  const fifth = (await rotate({ grace_s: 0 })).secret;
  t.same(await signatures(fifth, fourth), ['x-svc-signature', '']);
  t.notOk('x-svc-signature-previous' in (receiver.got.at(-1)?.headers ?? {}));

  const twice = () =>
    h.call('POST', `/webhooks/${webhook.id}/rotate`, { body: {}, headers: { 'idempotency-key': 'once' } });
  t.equal((await twice()).body, (await twice()).body, 'a repeated request gets the same secret again');
  const register2 = () =>
    h.call('POST', '/webhooks', { body: { url: receiver.url }, headers: { 'idempotency-key': 'new' } });
  const count = receiver.got.length;
  t.equal((await register2()).json().id, (await register2()).json().id);
  t.equal(receiver.got.length, count + 1, 'one test');
});

t.test('a rotated sealing key takes the signing secrets along', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const { id, secret } = await register(h, receiver);
  const next = (await h.call('POST', `/webhooks/${id}/rotate`, { body: {} })).json().secret;
  const keys = openKeyFile(join(h.data, 'secret.key'));
  for (const resealed of [2, 2]) {
    t.equal((await rotateKey({ store: h.store, keys, vault: createVault(keys) })).resealed, resealed);
  }
  await h.call('POST', `/webhooks/${id}/test`);
  const last = receiver.got.at(-1);
  t.same(last && [signedBy(next, last), signedBy(secret, last)], [['x-svc-signature'], ['x-svc-signature-previous']]);
});

t.test('everything that was sent is as the reference says', async (t) => {
  await checkSent(t, await startHarness(t));
});
