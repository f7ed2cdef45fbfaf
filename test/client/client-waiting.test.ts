// How long the library waits for builds, orders and jobs.
import t from 'tap';
import { clientOf, noWaiting } from './client-rig.js';
import { startScriptedService } from './scripted-service.js';

t.test('waiting for a build has no time limit of its own', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  service.onSubmit = () => undefined;
  const client = clientOf(service);
  const { id } = await client.builds.create({ script: 'x', repo: 'a/b' });
  service.instead('GET /builds/*/wait', { status: 200, text: JSON.stringify({ id, status: 'running' }) }, 2);
  service.instead('GET /builds/*/wait', { cut: true }, 1);
  const waited = client.builds.waitUntilEnded(id);
  setTimeout(() => service.builds.get(id)?.finish({ status: 'failed', exit_code: 9 }), 30);
  t.match(await waited, { id, status: 'failed', exit_code: 9 });
});

t.test('an order is waited for until it is settled, and a job until it has ended', async (t) => {
  const service = await startScriptedService();
  t.teardown(service.close);
  const { renting } = service;
  const client = clientOf(service);
  const { order_no } = await client.orders.create({ tier: 'local', hours: 24, units: 2 });
  const waited = client.orders.waitUntilSettled(order_no);
  service.instead('GET /orders/*/wait', { cut: true }, 1);
  await service.untilSeen('GET /orders/*/wait', 1);
  renting.pay(order_no);
  const macs = renting.orders.get(order_no)?.rental_ids ?? [];
  for (const mac of macs) renting.prepared(mac);
  t.match(await waited, { status: 'ready', rental_ids: macs });

  const { waits, clock } = noWaiting();
  const patient = clientOf(service, { clock });
  const { job_id = '' } = await patient.maintenance.reset(macs[0] ?? '');
  const seen: string[] = [];
  const job = await patient.jobs.waitUntilEnded(job_id, {
    onLook(look) {
      seen.push(look.status);
      if (seen.length === 7) renting.changeJob(job_id, { status: 'failed', error: 'reset_failed' });
    },
  });
  t.match(job, { status: 'failed', error: 'reset_failed' });
  t.equal(seen.length, 8);
  t.same(waits, [250, 500, 1000, 2000, 3000, 3000, 3000], 'it is looked at less and less often');
});
