// Loaded before a small agent: ends the process with SIGKILL at the nth change of the disk, or fills the disk from there on.
// SMALL_FAULT is `VERSION kill N` or `VERSION full N`; nothing happens once the file SMALL_FAULTED exists, which a fault makes.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { SMALL_FAULT = '', SMALL_FAULTED = '' } = process.env;
const [version = '', kind, count] = SMALL_FAULT.split(' ');
const concerned = process.argv[1]?.includes(`/versions/${version}/`) && process.argv[3] === 'run';
const { existsSync, writeFileSync } = fs;
let left = Number(count);

/** Of the disk being full, only what needs room fails. */
function fault(name: string): void {
  if (existsSync(SMALL_FAULTED) && kind === 'kill') return;
  if (--left > 0) return;
  if (left === 0) writeFileSync(SMALL_FAULTED, name);
  if (kind === 'kill') process.kill(process.pid, 'SIGKILL');
  if (!existsSync(SMALL_FAULTED) || /^(rm|unlink)/.test(name)) return;
  throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC' });
}

const SYNC = ['openSync', 'writeFileSync', 'renameSync', 'symlinkSync', 'mkdirSync', 'rmSync', 'linkSync'];
const MORE = ['fsyncSync', 'unlinkSync'];
if (concerned && !existsSync(SMALL_FAULTED)) {
  const wrap = (object: object, names: readonly string[], isAsync: boolean) => {
    for (const name of names) {
      const original = Reflect.get(object, name) as (...given: unknown[]) => unknown;
      const wrapped = isAsync
        ? async (...given: unknown[]) => {
            fault(name);
            return original(...given);
          }
        : (...given: unknown[]) => {
            if (name !== 'openSync' || /[wa]/.test(String(given[1]))) fault(name);
            return original(...given);
          };
      Reflect.set(object, name, wrapped);
    }
  };
  wrap(fs, [...SYNC, ...MORE], false);
  wrap(promises, ['mkdir', 'chmod', 'open', 'rm'], true);
  syncBuiltinESMExports();
}
