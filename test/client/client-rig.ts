// A client without waits, and blank records of the API.
import { CidermillError, type ClientOptions, createClient, type Job, type WaitlistEntry } from '../../client/index.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { KEY, type ScriptedService } from './scripted-service.js';

/** Waits are noted and over at once; a time limit never comes. */
export function noWaiting(): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    clock: {
      ...systemClock,
      setTimeout(fn, ms) {
        if (ms >= 60_000) return { cancel: () => undefined };
        waits.push(ms);
        const soon = setImmediate(fn);
        return { cancel: () => clearImmediate(soon) };
      },
    },
  };
}

export const clientOf = (service: Pick<ScriptedService, 'url'>, options: Partial<ClientOptions> = {}) =>
  createClient({ url: service.url, key: KEY, clock: noWaiting().clock, ...options });

export async function failureOf(promise: Promise<unknown>): Promise<CidermillError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof CidermillError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}

export const blankJob: Job = {
  id: 'op_1',
  job_id: 'op_1',
  rental_id: 'rt_1',
  rental_name: 'rt_1',
  kind: 'reset',
  status: 'running',
  when: null,
  error: null,
  message: null,
  reason: null,
  progress: null,
  created_at: '2026-01-01T00:00:00Z',
  started_at: null,
  ended_at: null,
};

export const blankEntry: WaitlistEntry = {
  id: 'wl_1',
  tier: 'local',
  units: 1,
  status: 'waiting',
  position: 1,
  created_at: '2026-01-01T00:00:00Z',
  notified_at: null,
};
