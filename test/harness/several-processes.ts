// Processes of the control plane that share a database, a folder of objects and a key, each with a data folder of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { adminAt } from './admin.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

export const OPERATOR = 'operator-token-of-this-test';
const program = new URL('../../control-plane/main.js', import.meta.url).pathname;

export interface Started {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  readonly ended: Promise<number | null>;
}

/** A process as operators see it. */
export interface Listed {
  pid: number;
  version: string;
  workers: boolean;
  connections: number;
}

/** The fields of commands' results that tests read. */
export interface Answer {
  key: string;
  token: string;
  processes: Listed[];
  hosts: { connected: boolean }[];
}

export const adminOn = ({ url }: Pick<Started, 'url'>): ((...argv: string[]) => Promise<Answer>) =>
  adminAt(url, OPERATOR);

export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );

export interface Installation {
  readonly root: string;
  /** The data folder of a process. */
  data(name: string): string;
  /**
   * Starts the process of this name, on its port of last time, and resolves when it is ready. The first one makes the key.
   *
   * @param env takes precedence
   * @param main the program; default: this one
   */
  start(name: string, env?: Readonly<Record<string, string>>, main?: string): Promise<Started>;
  /** The port that a process of this name has or will have. */
  portOf(name: string): Promise<number>;
}

export function createInstallation(t: Pick<Test, 'teardown'>, shared: Readonly<Record<string, string>>): Installation {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-several-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'objects'), { mode: 0o700 });
  const ports = new Map<string, number>();
  let keyFile: string | null = null;
  const portOf = async (name: string) => {
    const port = ports.get(name) ?? (await freePort());
    ports.set(name, port);
    return port;
  };
  const data = (name: string) => join(root, name);
  return {
    root,
    data,
    portOf,
    async start(name, env = {}, main = program) {
      if (!existsSync(data(name))) mkdirSync(data(name), { mode: 0o700 });
      const key = join(data(name), 'secret.key');
      keyFile ??= key;
      if (!existsSync(key) && key !== keyFile) copyFileSync(keyFile, key);
      const port = await portOf(name);
      const child = spawn(process.execPath, [main], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: {
          ...process.env,
          CIDERMILL_LOG_LEVEL: 'silent',
          CIDERMILL_OBJECTS: pathToFileURL(join(root, 'objects')).href,
          CIDERMILL_OPERATOR_TOKEN: OPERATOR,
          ...shared,
          ...env,
          CIDERMILL_DATA: data(name),
          CIDERMILL_PORT: String(port),
        },
      });
      const ended = once(child, 'exit').then(([code]) => code as number | null);
      t.teardown(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      const url = `http://127.0.0.1:${port}`;
      const ready = async () => {
        if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
        return isReady(url);
      };
      await until(ready, `${name} is ready`, 120_000);
      return { name, child, port, url, ended };
    },
  };
}
