// Runs the command line in the test's process, where a command costs a tenth of what it costs in one of its own. What is
// about the process (signals, closed pipes, a terminal) is tested with spawn-cli.ts.
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { CliContext } from '../../client/cli/context.js';
import { main } from '../../client/cli/main.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import type { Place } from './place.js';

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** What was written so far. */
  output: { stdout: string; stderr: string };
  /** Waits until standard error or output contains a text. */
  until(stream: 'stdout' | 'stderr', text: string): Promise<void>;
  done: Promise<Finished>;
}

export interface Start {
  env?: NodeJS.ProcessEnv;
  input?: string | Buffer;
  /** Runs on a terminal of 80 columns, at which `input` is typed. */
  terminal?: boolean;
}

export function startCli(place: Place, args: string[], { env, ...options }: Start = {}): Running {
  const output = createOutput();
  const context = createContext({ cwd: place.project, env: { ...place.env, ...env }, output, ...options });
  const finished = main(context, args);
  const done = finished.then((code) => ({ code, ...output.text }));
  return { output: output.text, until: output.untilIn(done), done };
}

export const runCli = (place: Place, args: string[], options?: Start) => startCli(place, args, options).done;

/** Returns what a command writes to standard output, in latin1. */
export async function bytesOf(place: Place, args: string[]): Promise<string> {
  const output = createOutput('latin1');
  await main(createContext({ cwd: place.project, env: place.env, output }), args);
  return output.text.stdout;
}

interface ContextParts {
  cwd: string;
  env: NodeJS.ProcessEnv;
  input?: string | Buffer;
  terminal?: boolean;
  output: Pick<ReturnType<typeof createOutput>, 'write'>;
}

const HASTE = 50;

/** Pauses are shorter, so that no test waits; time limits of a minute and more never come. */
export const hastyClock: Clock = {
  ...systemClock,
  setTimeout: (fn, ms) => (ms < 60_000 ? systemClock.setTimeout(fn, ms / HASTE) : { cancel: () => undefined }),
};

/** A context that signals and the end of the process never reach. */
export function createContext({ cwd, env, input = '', terminal = false, output }: ContextParts): CliContext {
  const size = terminal ? { isTTY: true, columns: 80 } : {};
  const stream = (name: 'stdout' | 'stderr') => {
    const writable = new Writable({
      write(chunk: Buffer, _encoding, done) {
        output.write(name, chunk);
        done();
      },
    });
    return Object.assign(writable, size);
  };
  const context: Omit<CliContext, 'on' | 'off' | 'once'> = {
    stdin: Object.assign(Readable.from(input === '' ? [] : [Buffer.from(input)]), size),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    clock: hastyClock,
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    cwd: () => cwd,
    exit(code) {
      throw new Error(`the command ended its process with ${code}`);
    },
  };
  return Object.assign(new EventEmitter(), context);
}

/** Collects what is written, and wakes those who wait for a text. */
export function createOutput(encoding: BufferEncoding = 'utf8') {
  const text = { stdout: '', stderr: '' };
  const decoders = { stdout: new StringDecoder(encoding), stderr: new StringDecoder(encoding) };
  const waiters = new Set<() => void>();
  return {
    text,
    write(name: 'stdout' | 'stderr', chunk: Buffer): void {
      text[name] += decoders[name].write(chunk);
      for (const wake of waiters) wake();
    },
    untilIn:
      (done: Promise<unknown>) =>
      (name: 'stdout' | 'stderr', wanted: string): Promise<void> =>
        new Promise((resolve, reject) => {
          const check = () => {
            if (!text[name].includes(wanted)) return;
            waiters.delete(check);
            resolve();
          };
          waiters.add(check);
          check();
          const end = () => {
            if (waiters.delete(check))
              reject(new Error(`ended without ${JSON.stringify(wanted)}: ${JSON.stringify(text)}`));
          };
          done.then(end, end);
        }),
  };
}
