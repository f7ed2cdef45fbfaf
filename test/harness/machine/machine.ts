// A copy of this Linux system for tests that follow a page of the documentation as root: what they install, change and start is gone
// afterwards, and nothing outside sees it (enter.sh).
// Requires: root
import { spawn } from 'node:child_process';
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

const ENTER = fileURLToPath(new URL('../../../../test/harness/machine/enter.sh', import.meta.url));

export interface Ran {
  readonly code: number | null;
  /** Both outputs, in order. */
  readonly output: string;
}

/**
 * Runs a bash script as root on a copy of this system, with a copy of the folder `checkout` at /opt/cidermill. Every process that
 * the script leaves behind is ended.
 *
 * @example (await onMachine(t, '/src/cidermill', 'useradd ada && id ada')).code // 0, and there is no such user outside
 */
export function onMachine(t: Test, checkout: string, script: string, timeoutMs = 1_200_000): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-machine-'));
  const file = `${folder}.sh`;
  writeFileSync(file, script);
  t.teardown(() => rmdirSync(folder));
  const flags = ['--mount', '--net', '--pid', '--uts', '--fork', '--kill-child', '--propagation', 'private'];
  const child = spawn('unshare', [...flags, ENTER, folder, checkout, file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without the caller's environment.
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}
