import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { dataFolder } from '../../control-plane/data-folder.js';
import { folderIsFree } from '../../control-plane/dev/folder-is-free.js';
import { createAdvancingClock, systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';

const module = join(import.meta.dirname, '..', 'platform', 'lock-holder.js');
const log = createLog('dev', 'silent');

async function holder(t: Test, file: string, supervised: boolean): Promise<ChildProcess> {
  const child = spawn(process.execPath, [module, file, 'http://127.0.0.1:1'], {
    stdio: ['pipe', 'pipe', 'inherit', ...(supervised ? (['ipc'] as const) : [])],
  });
  t.teardown(() => child.kill('SIGKILL'));
  if (child.stdout) t.same(await once(createInterface(child.stdout), 'line'), ['locked']);
  return child;
}

t.test('a folder that nobody uses is free at once', async (t) => {
  const data = t.testdir();
  await folderIsFree(data, dataFolder(data).lock, systemClock, log);
});

t.test('a control plane without a supervisor is somebody else', async (t) => {
  const data = t.testdir();
  const { lock } = dataFolder(data);
  const { pid } = await holder(t, lock, false);
  await t.rejects(folderIsFree(data, lock, systemClock, log), {
    name: 'StartError',
    message: `${data} is in use by process ${pid} at http://127.0.0.1:1`,
  });
});

t.test('the control plane of a killed supervisor is waited for', async (t) => {
  const data = t.testdir();
  const { lock } = dataFolder(data);
  const child = await holder(t, lock, true);
  let free = false;
  const waiting = folderIsFree(data, lock, systemClock, log).then(() => {
    free = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(free);
  child.stdin?.end();
  await waiting;
});

t.test('but not for ever', async (t) => {
  const data = t.testdir();
  const { lock } = dataFolder(data);
  const { pid } = await holder(t, lock, true);
  const clock = createAdvancingClock({ start: 0 });
  const refused = t.rejects(folderIsFree(data, lock, clock, log), { message: new RegExp(`process ${pid} at`) });
  for (let i = 0; i < 500; i++) await clock.advance(50);
  await refused;
});
