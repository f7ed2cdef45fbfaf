// The whole service as `npm start` runs it, in processes of its own, on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type DevFile, devFile } from '../control-plane/dev/dev-file.js';

export const bin = new URL('../client/bin.cjs', import.meta.url).pathname;

export interface Service extends DevFile {
  data: string;
  /** Environment in which `cidermill` finds this service. */
  env: NodeJS.ProcessEnv;
  /** Stops it and, unless told otherwise, removes its data. Harmless when it has stopped. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

/**
 * @param data an earlier start's data; a fresh folder otherwise
 * @example const service = await startService({ CIDERMILL_LOG_BYTES: '300000000' }, ['--macs', '4']);
 */
export async function startService(
  env: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
  data = mkdtempSync(join(tmpdir(), 'cidermill-service-')),
): Promise<Service> {
  const child: ChildProcess = spawn(
    process.execPath,
    [bin, 'dev', '--json', '--port', '0', '--data', data, '--requests-per-minute', '10000000', ...flags],
    // The channel: when this program dies, the service ends too.
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, CIDERMILL_LOG_LEVEL: 'error', ...env },
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready`)));
    if (child.stdout) createInterface(child.stdout).once('line', resolve);
  });
  const content = devFile.parse(JSON.parse(line));
  return {
    ...content,
    data,
    env: { ...process.env, CIDERMILL_URL: content.base_url, CIDERMILL_API_KEY: content.api_key },
    async stop({ keepData = false } = {}) {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
      if (!keepData) rmSync(data, { recursive: true, force: true });
    },
  };
}

/**
 * Waits until what a build leaves to be done (the next build's process boots and warms up) is over, so that it is
 * neither counted to a peer nor to the next round.
 */
export const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 2_000));
