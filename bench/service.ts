// Starts the whole service as `npm start` does, in child processes, on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type DevFile, devFile } from '../control-plane/dev/dev-file.js';

export const bin = fileURLToPath(new URL('../client/bin.cjs', import.meta.url));

export interface Service extends DevFile {
  data: string;
  /** Environment variables with which `cidermill` uses this service. */
  env: NodeJS.ProcessEnv;
  /** Stops the service and removes its data unless `keepData`. Has no effect when it has already stopped. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

/**
 * @param data data folder of an earlier run; default: a new folder
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
    // With the IPC channel the service exits when this process dies.
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, CIDERMILL_LOG_LEVEL: 'error', CIDERMILL_CONNECTIONS_PER_KEY: '10000', ...env },
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
 * Waits for the work after a build (the next build process boots) to finish, so that it is counted neither for the
 * peer nor for the next round.
 */
export const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 2_000));
