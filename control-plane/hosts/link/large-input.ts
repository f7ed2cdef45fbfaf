// What a host sends in JSON, parsed and checked: small texts at once, large ones by a thread, because one of 32 MiB takes
// seconds. What comes back from the thread is no larger than the schema allows.

import { Worker } from 'node:worker_threads';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { AgentMessage } from '../../../shared/protocol/index.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { invalidField } from '../../platform/domain/invalid-field.js';
import { InvalidMessage } from './incoming.js';
import { type Checks, checks } from './large-input-checks.js';

/** Checked at once: at most a few milliseconds. */
const SMALL = 64 * 1024;

export interface LargeInput {
  /** Throws InvalidMessage. `refused` says what was left out of its lists. */
  message(bytes: Buffer, isFirst: boolean): Promise<{ message: AgentMessage; refused: readonly string[] }>;
  /** The hashes in the body of a request for contents. Throws ApiError. */
  hashes(bytes: Buffer): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Question<K extends keyof Checks = keyof Checks> {
  readonly number: number;
  readonly kind: K;
  readonly bytes: Uint8Array;
}

export type Answer = { readonly number: number; readonly result: ReturnType<Checks[keyof Checks]> };

interface Waiting {
  resolve(result: Answer['result']): void;
  reject(error: Error): void;
}

export function createLargeInput(): LargeInput {
  let thread: Worker | null = null;
  let last = 0;
  const waiting = new Map<number, Waiting>();

  const failed = (error: Error) => {
    thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const worker = new Worker(new URL('./large-input-thread.js', import.meta.url));
    worker.on('message', ({ number, result }: Answer) => {
      waiting.get(number)?.resolve(result);
      waiting.delete(number);
      // The process may end while it is idle.
      if (waiting.size === 0) worker.unref();
    });
    worker.on('error', failed);
    return worker;
  };
  const check = async <K extends keyof Checks>(kind: K, bytes: Buffer): Promise<ReturnType<Checks[K]>> => {
    if (bytes.length <= SMALL) return checks[kind](bytes) as ReturnType<Checks[K]>;
    thread ??= start();
    const worker = thread;
    const number = ++last;
    return new Promise((resolve, reject) => {
      waiting.set(number, { resolve: (result) => resolve(result as ReturnType<Checks[K]>), reject });
      worker.ref();
      worker.postMessage({ number, kind, bytes } satisfies Question<K>);
    });
  };

  return {
    async message(bytes, isFirst) {
      const result = await check(isFirst ? 'firstMessage' : 'message', bytes);
      if ('invalid' in result) throw new InvalidMessage(result.invalid, result.closeCode);
      return result;
    },
    async hashes(bytes) {
      const result = await check('hashes', bytes);
      if ('invalid' in result) {
        const fields = result.fields.map((path) => invalidField(path, fieldProblem('invalid')));
        throw new ApiError('invalid_request', { message: result.invalid, detail: { fields } });
      }
      return result.hashes;
    },
    async close() {
      await thread?.terminate();
      failed(new Error('the service is stopping'));
    },
  };
}
