// Processes that count and lock together, in this process and in others.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Test } from 'tap';
import { openSharedState } from '../../../control-plane/platform/store/postgres/shared/shared-state.js';

export const join = async (t: Test, url: string) => {
  const shared = await openSharedState(url, { waitMs: 5_000, onError: () => undefined });
  let closed = false;
  const close = async () => {
    if (!closed) await shared.close();
    closed = true;
  };
  t.teardown(close);
  return { ...shared, close };
};
export const joinTwice = async (t: Test, url: string) => Promise.all([join(t, url), join(t, url)]);

/** Starts a process that holds three of `a` and the lock `b`. */
export async function startHolder(t: Test, url: string): Promise<ChildProcess> {
  const module = new URL('../../../control-plane/platform/store/postgres/shared/shared-state.js', import.meta.url).href;
  const text = `const { openSharedState } = await import(${JSON.stringify(module)});
    const shared = await openSharedState(${JSON.stringify(url)}, { waitMs: 5000, onError: () => undefined });
    await shared.counts.take('a', 3, 3);
    await shared.locks.acquire('b');
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}
