import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { describeOwner, FolderLockedError, takeFolderLock } from '../../control-plane/platform/store/folder-lock.js';

const module = join(import.meta.dirname, 'lock-holder.js');

async function holder(t: Test, file: string): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [module, file, 'http://127.0.0.1:1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [said] = await once(createInterface(child.stdout), 'line');
  return { child, said };
}

t.test('of many processes one gets the lock, and the others learn its process id', async (t) => {
  const file = join(t.testdir(), 'service.lock');
  const all = await Promise.all(Array.from({ length: 6 }, () => holder(t, file)));
  const owners = all.filter(({ said }) => said === 'locked');
  t.equal(owners.length, 1);
  const pid = owners[0]?.child.pid;
  // The first contender may be refused before the owner has written its name.
  for (const { said } of all) t.match(said, new RegExp(`^(locked|refused (${pid}|undefined))$`));
  t.throws(() => takeFolderLock(file), {
    name: 'FolderLockedError',
    owner: { pid, hostname: hostname(), address: 'http://127.0.0.1:1', supervised: false },
  });
  t.match((await holder(t, file)).said, `refused ${pid}`);
});

t.test('the lock of a killed process is free at once, even if its pid has been reused', async (t) => {
  const file = join(t.testdir(), 'service.lock');
  const { child, said } = await holder(t, file);
  t.equal(said, 'locked');
  child.kill('SIGKILL');
  await once(child, 'exit');
  // As if the number had been given to a process that lives: this one.
  writeFileSync(`${file}.json`, JSON.stringify({ pid: process.pid, hostname: hostname(), address: null }));
  const lock = takeFolderLock(file);
  t.match((await holder(t, file)).said, `refused ${process.pid}`);
  lock.release();
  t.equal((await holder(t, file)).said, 'locked');
});

t.test('within one process there is one lock too, and a released one can be taken again', async (t) => {
  const file = join(t.testdir(), 'service.lock');
  const lock = takeFolderLock(file);
  t.throws(() => takeFolderLock(file), FolderLockedError);
  t.match((await holder(t, file)).said, 'refused', 'the refusal did not end the lock');
  lock.release();
  lock.release();
  takeFolderLock(file).release();
});

t.test('an owner is described with its machine when that is another one', async (t) => {
  t.equal(describeOwner(null), 'another process');
  const owner = { pid: 7, address: null, supervised: false };
  t.equal(describeOwner({ ...owner, hostname: hostname() }), 'process 7');
  t.equal(
    describeOwner({ ...owner, hostname: 'another', address: 'http://h:1' }),
    'process 7 on another at http://h:1',
  );
});
