// Webhooks of a service, and real receivers on sockets of this machine.
import type { Test } from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness/harness.js';
import { startReceiver as listen, type Received, type Receiver } from '../harness/receiver.js';

/** Everything that was sent in all of these tests. */
export const sent: Received[] = [];

export const startReceiver = (t: Test, answer?: Receiver['answer']) =>
  listen(t, answer, (received) => sent.push(received));

export async function service(t: Test, macs = 1, options: HarnessOptions = {}) {
  const h = await startHarness(t, { receivers: true, ...options });
  return { h, host: await startBuildHost(h, { macs }) };
}

export interface WebhookView {
  id: string;
  url: string;
  events: string[];
  status: string;
  disabled_reason: string | null;
  secret: string;
  test: { ok: boolean; http_status: number | null; error: string | null };
}

export async function register(h: Harness, receiver: Receiver, body: object = {}): Promise<WebhookView> {
  const answer = await h.call('POST', '/webhooks', { body: { url: receiver.url, ...body } });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json();
}

export const shown = async (h: Harness, id: string): Promise<WebhookView> =>
  (await h.call('GET', `/webhooks/${id}`)).json();

export const deliveriesOf = async (h: Harness, id: string, query = '') =>
  (await h.call('GET', `/webhooks/${id}/deliveries${query}`)).json().deliveries;

export async function passes(h: Harness, ms: number): Promise<void> {
  await h.pass(ms);
}

/** Whether everything that the receivers of these tests got is as the reference says. */
export async function checkSent(t: Test, h: Harness): Promise<void> {
  const wrong = sent.map(({ headers, text }) => h.api.conformance.checkWebhook(headers, text));
  t.same(
    wrong.filter((one) => one !== null),
    [],
  );
}
