// A process that works on a payment and is killed while the provider answers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { FakePortone } from './fake-portone.js';
import type { PayingChild } from './paying-child.js';

/** Lets the process confirm or withdraw, and kills it before or after the provider has done so. */
export async function killDuring(
  t: Test,
  fake: FakePortone,
  { step, when, ...work }: { step: 'confirm' | 'cancel'; when: 'before' | 'after' } & Omit<PayingChild, 'fake'>,
): Promise<void> {
  const child = fork(join(import.meta.dirname, 'paying-child.js'), { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  fake.next(step, { kind: 'meanwhile', [when]: kill });
  const { url, apiSecret, storeId, channelKey, webhookSecrets } = fake;
  child.send({ ...work, fake: { url, apiSecret, storeId, channelKey, webhookSecrets } } satisfies PayingChild);
  const [, signal] = await exited;
  t.equal(signal, 'SIGKILL');
}
