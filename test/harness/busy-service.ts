import { startBuildHost } from './build-host.js';
import type { Harness } from './harness.js';
import { addHost, DAY, order, pay } from './renting.js';
import { submit } from './submitting.js';
import { manifestOf, uploader } from './upload-bodies.js';

/** Gives a service builds in every state, orders that are paid and not, hosts that are away, and what has ended. */
export async function makeBusy(h: Harness): Promise<void> {
  const host = await startBuildHost(h, { macs: 2, hours: 72 });
  await h.call('PUT', '/webhook', { body: { url: 'https://hooks.example.com/all' } });
  const [ended] = [await submit(h), await submit(h), await submit(h, { xcode: '16.1' })];
  await host.start();
  await host.output(ended.id, 'done\n');
  await host.finish(ended.id);
  const away = await addHost(h, 4);
  await order(h, { start: new Date(h.clock.now() + 2 * DAY).toISOString() });
  const paid = await order(h);
  await pay(h, paid.order_no);
  await order(h);
  await away.disconnect();
  await h.signIn('owner');
  const leaked = await h.createKey(['read']);
  await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token: leaked } });
  await uploader(h).announce(manifestOf({ 'main.swift': 'print(1)' }));
}
