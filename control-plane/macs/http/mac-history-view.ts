import { z } from 'zod';
import { enumeration } from '../../platform/domain/enumeration.js';
import { nextBefore, time } from '../../platform/http/values.js';
import type { HistoryPage } from '../app/mac-history.js';
import { macStates } from '../domain/mac.js';
import { macCauses } from '../domain/mac-state.js';

const entry = z
  .object({
    at: time,
    state: enumeration(macStates, {
      open: true,
      plain: true,
      meanings: {
        reserved: 'its time has not begun',
        preparing: 'it is being created or recreated',
        ready: 'it waits for builds',
        building: 'it runs a build',
        resetting: 'it is being recreated, or its work folder is being emptied',
        updating: 'what is installed on it is being changed',
        ended: 'its rental has ended',
      },
    }),
    cause: enumeration(macCauses, {
      open: true,
      plain: true,
      meanings: {
        rented: 'the rental was created',
        begun: 'the time of its reservation has come',
        prepared: 'the host has reported it ready',
        build_started: 'a build was assigned to it',
        build_ended: 'the build has ended',
        job_started: 'the job `job_id` changes it',
        job_done: 'the job has changed it',
        job_failed: 'the job has failed',
        lost: 'the host no longer has it and recreates it',
        host_lost: 'the host is disconnected',
        host_removed: 'the host was removed',
        moved: 'it is created on another host',
        repair: 'a build could not be prepared on it, so the host repairs it',
        unconfirmed: 'the end of its build is not confirmed by the host yet',
        rental_ended: 'the rental has ended',
      },
    }),
    job_id: z.string().nullable(),
  })
  .meta({ id: 'MacStateEntry' });

export const historyShape = z.object({ entries: z.array(entry), next_before: nextBefore }).meta({ id: 'MacHistory' });

export function historyView({ entries, nextBefore }: HistoryPage): z.infer<typeof historyShape> {
  return {
    entries: entries.map(({ at, state, cause, jobId }) => ({
      at: new Date(at).toISOString(),
      state,
      cause,
      job_id: jobId,
    })),
    next_before: nextBefore === null ? null : String(nextBefore),
  };
}
