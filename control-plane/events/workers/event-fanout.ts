import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import { type FanoutDeps, fanOutSome } from '../app/event-fanout.js';

/** Passes events on to those who want to hear of them. */
export function createEventFanout(deps: FanoutDeps): Worker {
  return {
    name: 'event-fanout',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['events'],
    async run() {
      while (await fanOutSome(deps));
      return null;
    },
  };
}
