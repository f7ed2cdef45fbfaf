// How a job begins and ends: with its Mac, in one transaction.
import type { Clock } from '../../../shared/clock.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Job, JobError, JobTarget } from '../domain/job.js';
import { awayFrom, type Mac } from '../domain/mac.js';
import { type ChangeKind, eventOfStart, makesNewMac } from '../domain/maintenance.js';
import { changeJob, insertJob } from '../store/jobs.js';
import { changeMachine, type MachineChanges } from '../store/macs.js';

export interface JobChangeDeps {
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'wake'>;
}

type MacOfJob = Pick<Mac, 'rentalId' | 'accountId' | 'hostId'>;

/** Whoever waits for the job, for the Mac's queue, or for what its host is to do. */
export function wakeForJob(tx: Transaction, wake: Pick<Wake, 'wake'>, mac: MacOfJob): void {
  tx.onCommit(() => {
    wake.wake('jobs', mac.rentalId);
    wake.wake('builds', String(mac.accountId));
    wake.wake('scheduler', String(mac.accountId));
    wake.wake('host', mac.hostId);
  });
}

/** Takes an idle Mac into its change. Answers the revision that the change brings about; null: it is not idle. */
async function beginChange(
  tx: Transaction,
  mac: Mac,
  change: { kind: ChangeKind; target: JobTarget },
): Promise<number | null> {
  const revision = mac.revision + 1;
  const generation = makesNewMac(change) ? mac.generation + 1 : mac.generation;
  const event = eventOfStart(change.kind);
  return (await changeMachine(tx, mac, event, { revision, generation })) ? revision : null;
}

export interface AcceptedChange {
  readonly kind: ChangeKind;
  readonly target: JobTarget;
  readonly when: Job['when'];
  /** At once: the Mac is idle. */
  readonly start: boolean;
}

/** Writes the job of a change; it runs from now on, or waits for its Mac. */
export async function openJob(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Mac,
  change: AcceptedChange,
): Promise<Job> {
  const revision = change.start ? await beginChange(tx, mac, change) : null;
  const job = await insertJob(tx, {
    accountId: mac.accountId,
    rentalId: mac.rentalId,
    kind: change.kind,
    status: revision === null ? 'queued' : 'running',
    when: change.when,
    target: change.target,
    revision,
    now: deps.clock.now(),
  });
  wakeForJob(tx, deps.wake, mac);
  return job;
}

/** Starts a job that waited; false when its Mac is not idle, or it does not wait any more. */
export async function startJob(tx: Transaction, deps: JobChangeDeps, mac: Mac, job: Job): Promise<boolean> {
  const { kind, target } = job;
  if (kind === 'provision' || mac.state !== 'ready' || mac.openJob?.jobId !== job.jobId) return false;
  const started = { startedAt: deps.clock.now(), revision: mac.revision + 1 };
  if (!(await changeJob(tx, job, 'start', started))) return false;
  if ((await beginChange(tx, mac, { kind, target })) !== started.revision) {
    throw new Error(`the Mac of job ${job.jobId} is ready but could not be changed`);
  }
  wakeForJob(tx, deps.wake, mac);
  return true;
}

/** Ends the Mac's open job as done, and takes its setup over; what is to be written of the Mac. */
export async function finishJob(tx: Transaction, deps: JobChangeDeps, mac: Mac): Promise<MachineChanges> {
  const job = mac.openJob;
  if (!job) return {};
  const now = deps.clock.now();
  // A Mac may be made before its provision job was started.
  if (job.status === 'queued') await changeJob(tx, job, 'start', { startedAt: now });
  await changeJob(tx, { jobId: job.jobId, status: 'running' }, 'finish', {
    endedAt: now,
    progress: { step: 'done', percent: 100 },
  });
  if (job.kind === 'provision') return {};
  const { xcode, runtimes, tools } = job.target;
  return {
    ...(xcode === undefined ? {} : { xcode }),
    ...(runtimes === undefined ? {} : { runtimes }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Ends a job as failed; false when it has ended already. */
export async function failJob(
  tx: Transaction,
  deps: JobChangeDeps,
  job: Pick<Job, 'jobId' | 'status' | 'rentalId'>,
  error: JobError,
  message: string,
): Promise<boolean> {
  const failed = await changeJob(tx, job, 'fail', { error, message, endedAt: deps.clock.now() });
  if (failed) tx.onCommit(() => deps.wake.wake('jobs', job.rentalId));
  return failed !== null;
}

/** Ends a change as failed; the Mac goes on as it was, or is made anew. */
export async function failChange(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Mac,
  failure: { readonly error: JobError; readonly message: string; readonly mac: 'ready' | 'anew' },
): Promise<void> {
  const job = mac.openJob && { ...mac.openJob, rentalId: mac.rentalId };
  if (job) await failJob(tx, deps, job, failure.error, failure.message);
  if (failure.mac === 'ready') {
    await changeMachine(tx, mac, 'prepared', { awaySince: null });
    return;
  }
  const numbers = { generation: mac.generation + 1, revision: mac.revision + 1 };
  await changeMachine(tx, mac, 'lost', { ...numbers, ...makingAgain(mac, deps.clock.now()) });
}

/**
 * What is written of a Mac that its host begins to make anew. Its customer has not asked for it, so from now on it is
 * kept away.
 */
export const makingAgain = (mac: Pick<Mac, 'readyAt' | 'awaySince'>, now: number) => ({
  preparingSince: now,
  prepareFailed: false,
  repairing: false,
  awaySince: awayFrom(mac, now),
});

/** To be called in the transaction in which a Mac is taken away. */
export async function failJobOfEnded(tx: Transaction, deps: JobChangeDeps, mac: Mac): Promise<void> {
  if (!mac.openJob) return;
  const job = { ...mac.openJob, rentalId: mac.rentalId };
  await failJob(tx, deps, job, 'rental_ended', RENTAL_ENDED);
}

export const RENTAL_ENDED = 'The rental of the Mac ended before the job was done.';
