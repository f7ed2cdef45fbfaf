import { pause } from '../../shared/pause.js';
import { methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { getJob } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type { Job } from '../types.js';

/** Polling intervals of a job in ms: short at first, then longer. */
const FIRST_LOOK_MS = 250;
const LOOK_EVERY_MS = 3_000;

const operations = { get: getJob };

/** Jobs: resets, Xcode and setup changes, which run in the background. */
export interface JobsApi extends MethodsOf<typeof operations, CallOptions> {
  /**
   * Polls a job until it is done or has failed.
   *
   * @param options.onLook called with every polled state, including the last one
   */
  waitUntilEnded(id: string, options?: CallOptions & { onLook?: (job: Job) => void }): Promise<Job>;
}

/** True for a status that a job never leaves. */
export function jobHasEnded(job: { status: Job['status'] }): boolean {
  return job.status === 'done' || job.status === 'failed';
}

export function jobsApi(wire: Wire): JobsApi {
  const methods = methodsOf(wire, operations);
  return {
    ...methods,
    async waitUntilEnded(id, options) {
      for (let ms = FIRST_LOOK_MS; ; ms = Math.min(LOOK_EVERY_MS, ms * 2)) {
        const job = await methods.get(id, options);
        options?.onLook?.(job);
        if (jobHasEnded(job)) return job;
        await pause(wire.clock, ms, options?.signal);
      }
    },
  };
}
