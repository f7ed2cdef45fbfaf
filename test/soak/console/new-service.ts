// A service as an operator starts it for the first time, in its real processes: no person, no tier, no host.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { bin } from '../../../bench/service.js';
import { packageClient } from '../../../tools/package/client.js';
import { writeSums } from '../../../tools/package/sums.js';
import { root } from '../../harness/package-here.js';
import { tempFolder } from '../../host-agent/runner/rig.js';

export interface NewService {
  readonly siteUrl: string;
  /** The address that the service printed. */
  readonly firstOwner: string;
  /** Makes this machine a host, with the token of an operator. */
  startHost(token: string): void;
  /** Moves the service's clock forward. */
  advance(ms: number): Promise<void>;
}

/** The service has the package of the command line, takes payments from the sandbox, and ends with the test. */
export async function startNewService(t: Test): Promise<NewService> {
  const folder = tempFolder(t);
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  writeSums(packages, [await packageClient({ root, out: packages, version: '1.2.3' })]);
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, args, {
      // With the IPC channel the service exits when this process dies.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, CIDERMILL_LOG_LEVEL: 'error', ...env },
    });
    t.teardown(() => ended(child));
    return child;
  };
  const service = start([join(root, 'dist/control-plane/main.js')], {
    CIDERMILL_DATA: join(folder, 'service'),
    CIDERMILL_PORT: '0',
    CIDERMILL_PACKAGES: packages,
    CIDERMILL_PAYMENT_PROVIDER: 'sandbox',
    CIDERMILL_FX_KRW_PER_USD: '1466.40',
    CIDERMILL_TEST_CLOCK: 'true',
  });
  const firstOwner = /http\S+$/.exec(await firstLine(service))?.[0];
  if (!firstOwner) throw new Error('the service did not print where the first owner is made');
  const siteUrl = new URL(firstOwner).origin;
  return {
    siteUrl,
    firstOwner,
    startHost(token) {
      const data = join(folder, 'host');
      const enroll = ['enroll', '--url', siteUrl, '--data', data, '--allow-unisolated'];
      execFileSync(process.execPath, [bin, 'host-agent', ...enroll], { input: token, stdio: 'pipe' });
      start([bin, 'host-agent', 'run', '--data', data]);
    },
    async advance(ms) {
      const moved = await fetch(`${siteUrl}/dev/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance_ms: ms }),
      });
      if (!moved.ok) throw new Error(`the clock did not move: ${moved.status} ${await moved.text()}`);
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready`)));
    if (child.stdout) createInterface(child.stdout).once('line', resolve);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await exited;
}
