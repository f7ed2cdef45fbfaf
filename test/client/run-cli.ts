// Runs the real command in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KEY, type ScriptedService } from './scripted-service.js';

export const BIN = fileURLToPath(new URL('../../client/bin.cjs', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** What was written so far. */
  output: { stdout: string; stderr: string };
  /** Waits until standard error or output contains a text. */
  until(stream: 'stdout' | 'stderr', text: string): Promise<void>;
  done: Promise<Finished>;
}

export interface Place {
  /** A folder of its own; also the home, so that nothing of this machine's person is seen. */
  root: string;
  /** The folder the command runs in. */
  project: string;
  env: NodeJS.ProcessEnv;
  remove(): void;
}

/** A home and a project folder, and an environment that points to the service (none: nothing configured). */
export function makePlace(service: Pick<ScriptedService, 'url'> | null): Place {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-client-'));
  const project = join(root, 'project');
  mkdirSync(project);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: root,
    TMPDIR: root,
    XDG_CACHE_HOME: join(root, 'cache'),
    XDG_CONFIG_HOME: join(root, 'config'),
    ...(service ? { CIDERMILL_URL: service.url, CIDERMILL_API_KEY: KEY } : {}),
  };
  return { root, project, env, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export interface Start {
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Another copy of the command. */
  bin?: string;
}

export function startCli(place: Place, args: string[], options: Start = {}): Running {
  const child = spawn(process.execPath, [options.bin ?? BIN, ...args], {
    cwd: place.project,
    env: { ...place.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(options.input ?? '');
  const output = { stdout: '', stderr: '' };
  const waiters = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const wake of waiters) wake();
    });
  }
  const done = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  const until = (stream: 'stdout' | 'stderr', text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!output[stream].includes(text)) return;
        waiters.delete(check);
        resolve();
      };
      waiters.add(check);
      check();
      void done.then(() => {
        if (waiters.delete(check))
          reject(new Error(`ended without ${JSON.stringify(text)}: ${JSON.stringify(output)}`));
      });
    });
  return { child, output, until, done };
}

export const runCli = (place: Place, args: string[], options?: Start) => startCli(place, args, options).done;
