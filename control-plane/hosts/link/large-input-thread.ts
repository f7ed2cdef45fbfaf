// The thread that checks large JSON of hosts, one text after the other.
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from './large-input.js';
import { checks } from './large-input-checks.js';

parentPort?.on('message', ({ number, kind, bytes }: Question) => {
  parentPort?.postMessage({ number, result: checks[kind](bytes) } satisfies Answer);
});
