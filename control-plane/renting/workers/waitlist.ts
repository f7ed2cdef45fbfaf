import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import { notifyWaiting, type WaitlistDeps } from '../app/waitlist.js';

/** Tells those who wait for Macs that there are some again. */
export function createWaitlistWorker(deps: WaitlistDeps): Worker {
  return {
    name: 'waitlist',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['stock'],
    run: () => notifyWaiting(deps),
  };
}
