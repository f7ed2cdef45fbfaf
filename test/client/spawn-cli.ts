// Runs the command in a process of its own, as a shell does.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Place } from './place.js';
import { createOutput, type Finished, type Running, type Start } from './run-cli.js';

export const BIN = fileURLToPath(new URL('../../client/bin.cjs', import.meta.url));

export interface Spawned extends Running {
  child: ChildProcess;
}

export interface SpawnOptions extends Start {
  /** Another copy of the command. */
  bin?: string;
}

export function spawnCli(place: Place, args: string[], options: SpawnOptions = {}): Spawned {
  const child = spawn(process.execPath, [options.bin ?? BIN, ...args], {
    cwd: place.project,
    env: { ...place.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(options.input ?? '');
  const output = createOutput();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => output.write(name, chunk));
  }
  const done = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, ...output.text }));
  });
  return { child, output: output.text, until: output.untilIn(done), done };
}
