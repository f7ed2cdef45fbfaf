// The key file is lost or replaced: what is sealed under the old key fails by name, for its account alone.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type BuildRunsDeps, createBuildRuns } from '../../control-plane/builds/app/build-runs.js';
import { defaultCodeHosts } from '../../control-plane/builds/domain/source.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { commandsOf } from '../harness/admin.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { startReceiver } from '../harness/receiver.js';
import { show, submit, withMacs } from '../harness/submitting.js';

/** Replaces the key file, and returns the content of the old one. */
function replaceKeyFile(h: Harness): string {
  const path = join(h.data, 'secret.key');
  const before = readFileSync(path, 'utf8');
  openKeyFile(`${path}.other`);
  writeFileSync(path, readFileSync(`${path}.other`));
  rmSync(`${path}.other`);
  return before;
}

t.test('a build with unreadable secrets fails and names them; builds of others on the same host run', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const theirs = await startBuildHost(h, { macs: 1, accountId: h.other.id });
  await h.secrets.put(h.org.id, 'TOKEN', { value: 'hunter2-hunter2' });
  await h.secrets.put(h.org.id, 'CERT', { value: 'hunter3-hunter3' });
  const before = replaceKeyFile(h);
  await h.secrets.put(h.other.id, 'TOKEN', { value: 'sealed under the new key' });

  const mine = await submit(h);
  const other = await submit(h, {}, h.other.key);
  t.match(await theirs.start(), [other.id]);
  t.same(await host.desired(), [], 'the host hears nothing of a build that cannot start');
  const failed = await show(h, mine.id);
  t.match(failed, {
    status: 'failed',
    end_reason: 'platform_error',
    failure: {
      fault: 'platform',
      reason_code: 'secret_unreadable',
      summary: 'The secrets CERT, TOKEN of this account can no longer be decrypted.',
      suggestion: /Set the named secrets/,
    },
  });
  t.match((await h.call('GET', '/secrets')).json().secrets, [
    { name: 'CERT', readable: false, masked: null },
    { name: 'TOKEN', readable: false },
  ]);
  const health = await h.inject({ url: '/healthz' });
  t.equal(health.statusCode, 200);
  t.match(health.body, /^degraded: secrets_unreadable: 2 build secrets are sealed with a key/);

  await h.call('DELETE', '/secrets/CERT');
  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'hunter2-hunter2' } });
  t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
  const next = await submit(h);
  t.match(await host.desired(), [{ build_id: next.id, secrets: [{ name: 'TOKEN' }] }]);

  writeFileSync(join(h.data, 'secret.key'), before);
  t.match(
    (await h.call('GET', '/secrets', { key: h.other.key })).json().secrets,
    [{ name: 'TOKEN', readable: false }],
    'the former file opens what was sealed under it, and that alone',
  );
});

t.test('removing the key file under a running service changes nothing', async (t) => {
  const { h, host } = await withMacs(t, 1);
  await h.secrets.put(h.org.id, 'TOKEN', { value: 'hunter2-hunter2' });
  const path = join(h.data, 'secret.key');
  const content = readFileSync(path, 'utf8');
  rmSync(path);
  const answer = await h.call('POST', '/builds', {
    body: { repo: 'apple/swift', script: 'make' },
    headers: { 'idempotency-key': 'one' },
  });
  t.equal(answer.statusCode, 201);
  await h.workers.idle();
  t.match(await host.desired(), [{ secrets: [{ value: 'hunter2-hunter2' }] }]);
  t.equal(readFileSync(path, 'utf8'), content);
});

t.test('with a damaged key file, requests that would seal a value fail and all others work', async (t) => {
  const { h } = await withMacs(t, 1);
  await h.call('PUT', '/secrets/A', { body: { value: 'value' } });
  writeFileSync(join(h.data, 'secret.key'), 'nonsense\n');
  const refused = await h.call('PUT', '/secrets/B', { body: { value: 'value' } });
  t.equal(refused.statusCode, 503);
  t.match(refused.json().error, { code: 'secrets_unavailable', retryable: true });
  t.match((await h.call('GET', '/secrets')).json().secrets, [{ name: 'A', readable: true }]);
  t.equal((await submit(h)).status, 'queued');
  const health = await h.inject({ url: '/healthz' });
  t.equal(health.statusCode, 200);
  t.match(health.body, /^degraded: key_file: line 1 of the key file/);
});

t.test('a repeated request is not executed again if its stored response cannot be decrypted', async (t) => {
  const { h } = await withMacs(t, 1);
  const send = () =>
    h.call('POST', '/builds', {
      body: { repo: 'apple/swift', script: 'make' },
      headers: { 'idempotency-key': 'one' },
    });
  t.equal((await send()).statusCode, 201);
  replaceKeyFile(h);
  const repeated = await send();
  t.equal(repeated.statusCode, 409);
  t.equal(repeated.json().error.code, 'idempotency_reply_lost');
  t.equal((await h.call('GET', '/builds')).json().builds.length, 1);
});

t.test('a webhook with an unreadable signing secret reports it, and rotation repairs it', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const host = await startBuildHost(h, { macs: 1 });
  const receiver = await startReceiver(t);
  const made = await h.call('POST', '/webhooks', { body: { url: receiver.url } });
  const { id } = made.json();
  const before = receiver.got.length;
  replaceKeyFile(h);
  const build = await submit(h, { notify_url: receiver.url });
  await host.start();
  await host.finish(build.id);
  await h.workers.idle();
  t.equal(receiver.got.length > before, true, 'the notify_url, sealed under the present key, is told');
  const listed = async () => (await h.call('GET', `/webhooks/${id}/deliveries`)).json().deliveries;
  const waiting = await listed();
  t.ok(waiting.length > 0);
  for (const delivery of waiting) {
    t.match(delivery, { status: 'pending', http_status: null, error: /signing secret cannot be decrypted/ });
  }
  const tested = await h.call('POST', `/webhooks/${id}/test`);
  t.equal(tested.statusCode, 200);
  t.match(JSON.stringify(tested.json()), /signing secret cannot be decrypted/);
  t.match(
    (await h.inject({ url: '/healthz' })).body,
    /^degraded: webhooks_unreadable: 1 signing secret of a webhook is sealed/,
  );

  t.equal((await h.call('POST', `/webhooks/${id}/rotate`, { body: {} })).statusCode, 200);
  t.match((await h.inject({ url: '/healthz' })).body, /^ok$/m);
  await h.pass(15_000);
  for (const delivery of await listed()) t.equal(delivery.status, 'delivered');
});

t.test('the operator lists values that cannot be decrypted, and key rotation skips them', async (t) => {
  const h = await startHarness(t);
  const admin = commandsOf(h);
  await h.secrets.put(h.org.id, 'OLD', { value: 'hunter2-hunter2' });
  t.match(await admin('secrets', 'check'), { json: { unreadable: [] }, text: /every encrypted value/ });
  replaceKeyFile(h);
  await h.secrets.put(h.org.id, 'NEW', { value: 'hunter3-hunter3' });
  await h.secrets.put(h.other.id, 'DAMAGED', { value: 'hunter4-hunter4' });
  const zero = Buffer.from([0]);
  await h.store.run("UPDATE secrets SET ciphertext = :zero || ciphertext WHERE name = 'DAMAGED'", { zero });
  const found = await admin('secrets', 'check');
  t.same(found.json, {
    unreadable: [
      { org_id: h.org.orgId, org_slug: 'apple-press', kind: 'secret', name: 'OLD', reason: 'key_missing' },
      { org_id: h.other.orgId, org_slug: 'other-mill', kind: 'secret', name: 'DAMAGED', reason: 'damaged' },
    ],
  });
  t.match(found.text, /OLD +its key is not in the key file/);
  const rotated = await admin('secrets', 'rotate-key');
  t.match(rotated, { json: { resealed: 1, unreadable: 2 }, text: /2 cannot be decrypted/ });
  t.match((await h.call('GET', '/secrets')).json().secrets, [
    { name: 'NEW', readable: true },
    { name: 'OLD', readable: false },
  ]);
});

t.test('a build start that fails for another reason does not delay other builds on the host', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const mine = await submit(h);
  const source = { manifestSha256: 'a'.repeat(64), files: 1, totalBytes: 1 };
  const broken = await submit(h);
  await h.store.run("UPDATE builds SET upload_id = 'up_1', repo = NULL WHERE build_id = :id", {
    id: broken.id,
  });
  let works = false;
  const runs = createBuildRuns({
    store: h.store,
    clock: h.clock,
    limits: h.limits,
    codeHosts: defaultCodeHosts,
    secretsFor: h.secrets.reveal,
    async uploadSource() {
      if (!works) throw new Error('the disk does not answer');
      return source;
    },
  } as unknown as BuildRunsDeps);
  const failures: string[] = [];
  const desired = async () => {
    const builds = await runs.desiredBuilds(host.hostId, (id) => failures.push(id));
    return new Map(builds.map((build) => [build.build_id, build]));
  };
  const first = await desired();
  t.match(first.get(mine.id), { spec: { script: 'make' } });
  t.match(first.get(broken.id), { want: 'run', spec: null, secrets: null }, 'a host that has it keeps it');
  t.same(failures, [broken.id]);
  works = true;
  t.match((await desired()).get(broken.id), { spec: { source: { upload_id: 'up_1' } } });
});
