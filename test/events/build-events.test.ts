// GET …/builds/:build_id/events: the events of a build, and the receivers of each.
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { startReceiver } from '../harness/receiver.js';

t.test('the events of a build come with the state of their deliveries', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const host = await startBuildHost(h, { macs: 1 });
  const { url } = await startReceiver(t);
  const webhook = (await h.call('POST', '/webhooks', { body: { url, events: ['build.failed'] } })).json().id;
  const body = { repo: 'a/b', script: 'make', notify_url: url };
  const build = (await h.call('POST', '/builds', { body })).json().id;
  await h.workers.idle();
  await host.start();
  await host.finish(build, { outcome: 'exited', exit_code: 1 });
  await h.workers.idle();

  const read = (cookie: string, id: string) =>
    h.callConsole('GET', `/v1/organizations/${h.org.orgId}/builds/${id}/events`, {
      key: null,
      headers: { cookie },
    });
  const developer = await h.signIn('developer');
  const { data, submitted_by } = (await read(developer, build)).json();
  t.match(submitted_by, { key_id: /^key_/, name: 'read+build+manage' });
  const types = data.map(({ type }: { type: string }) => type);
  t.same(types.slice(0, 2), ['build.queued', 'build.started']);
  t.same(
    data.map(({ sequence }: { sequence: number }) => sequence),
    types.map((_type: string, at: number) => at + 1),
  );
  t.same(data[0].deliveries, []);
  t.match(data[0].at, /^2026-03-01T09:00:0/);
  const failed = data[types.indexOf('build.failed')];
  const receivers = failed.deliveries.map(({ webhook_id }: { webhook_id: string | null }) => webhook_id);
  t.same(receivers.sort(), [null, webhook].sort());
  for (const delivery of failed.deliveries) {
    t.match(delivery, { status: 'delivered', attempt: 1, http_status: 200, error: null });
    t.ok(delivery.delivered_at);
  }

  t.equal((await read(developer, 'rb_none')).json().error.code, 'build_not_found');
  const hidden = await h.signIn('developer', {
    email: 'hidden@example.com',
    workspaceIds: [],
  });
  t.equal((await read(hidden, build)).json().error.code, 'build_not_found');
});
