// Programs of the bench in processes of their own: what they use is not counted for the service.
import { fork } from 'node:child_process';
import { once } from 'node:events';

interface Question {
  readonly id: number;
  readonly what: string;
  readonly given: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface Child {
  readonly pid: number;
  /** Runs one of the functions that the program serves. */
  ask<T>(what: string, given?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** @param program compiled module that calls `serve` */
export function startChild(program: URL, env: NodeJS.ProcessEnv = {}): Child {
  const child = fork(program, { env: { ...process.env, ...env }, serialization: 'advanced' });
  const ended = once(child, 'exit');
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let last = 0;
  child.on('message', ({ id, value, error }: Answer) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(value as never);
    else one?.reject(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program.pathname} ended with ${code}`));
  });
  return {
    pid: child.pid ?? 0,
    ask: (what, given) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { resolve, reject });
        child.send({ id, what, given } satisfies Question);
      }),
    async stop() {
      if (child.exitCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Answers the questions of the process that has started this one, and ends with it. */
export function serve(functions: Readonly<Record<string, (given: never) => unknown>>): void {
  process.on('message', ({ id, what, given }: Question) => {
    const answer = (rest: Omit<Answer, 'id'>) => process.send?.({ id, ...rest });
    Promise.resolve()
      .then(() => functions[what]?.(given as never))
      .then(
        (value) => answer({ value }),
        (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  process.once('disconnect', () => process.exit(0));
}

/** Milliseconds by a clock that all processes of this machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Runs `work` for each of the items, at most `atOnce` at a time. */
export async function eachOf<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
