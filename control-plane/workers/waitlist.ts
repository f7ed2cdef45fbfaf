import { notifyWaiting, type WaitlistDeps } from '../app/waitlist.js';
import { LONGEST_PERIOD_MS, type Worker } from './worker.js';

/** Tells those who wait for Macs that there are some again. */
export function createWaitlistWorker(deps: WaitlistDeps): Worker {
  return {
    name: 'waitlist',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['stock'],
    run: () => notifyWaiting(deps),
  };
}
