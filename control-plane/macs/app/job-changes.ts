// Starts and ends jobs together with their Macs, in one transaction.
import { jobReasons } from '../../../shared/messages/job-reasons.js';
import { type Message, messagesOf } from '../../../shared/messages/message.js';
import type { Core } from '../../platform/app/core.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Job, JobError, JobTarget } from '../domain/job.js';
import { awayFrom, type Mac } from '../domain/mac.js';
import { type ChangeKind, eventOfStart, makesNewMac } from '../domain/maintenance.js';
import { changeJob, insertJob } from '../store/jobs.js';
import { changeMachine, type MachineChanges } from '../store/macs.js';

export type JobChangeDeps = Pick<Core, 'clock' | 'wake'>;

type MacOfJob = Pick<Mac, 'rentalId' | 'accountId' | 'hostId'>;

/** Wakes waiters for the job, the Mac's queue and its host's desired state. */
export function wakeForJob(tx: Transaction, wake: Pick<Wake, 'wake'>, mac: MacOfJob): void {
  tx.onCommit(() => {
    wake.wake('jobs', mac.rentalId);
    wake.wake('macs', String(mac.accountId));
    wake.wake('builds', String(mac.accountId));
    wake.wake('scheduler', String(mac.accountId));
    wake.wake('host', mac.hostId);
  });
}

/**
 * Moves an idle Mac into the state of its change. Returns the revision of the change, or null if the Mac is not idle.
 */
async function beginChange(
  tx: Transaction,
  mac: Mac,
  change: { jobId: string; kind: ChangeKind; target: JobTarget },
  now: number,
): Promise<number | null> {
  const revision = mac.revision + 1;
  const generation = makesNewMac(change) ? mac.generation + 1 : mac.generation;
  const event = eventOfStart(change.kind);
  const started = { at: now, cause: 'job_started', jobId: change.jobId } as const;
  return (await changeMachine(tx, mac, event, started, { revision, generation })) ? revision : null;
}

export interface AcceptedChange {
  readonly kind: ChangeKind;
  readonly target: JobTarget;
  readonly when: Job['when'];
  /** At once, because the Mac is idle. */
  readonly start: boolean;
}

/** Writes the job of a change, running or queued for its Mac. */
export async function openJob(tx: Transaction, deps: JobChangeDeps, mac: Mac, change: AcceptedChange): Promise<Job> {
  const now = deps.clock.now();
  const jobId = newId('op');
  const revision = change.start ? await beginChange(tx, mac, { ...change, jobId }, now) : null;
  const job = await insertJob(tx, {
    jobId,
    accountId: mac.accountId,
    rentalId: mac.rentalId,
    kind: change.kind,
    status: revision === null ? 'queued' : 'running',
    when: change.when,
    target: change.target,
    revision,
    now,
  });
  wakeForJob(tx, deps.wake, mac);
  return job;
}

/** Starts a queued job. Returns false if its Mac is no longer idle, or the job no longer queued. */
export async function startJob(tx: Transaction, deps: JobChangeDeps, mac: Mac, job: Job): Promise<boolean> {
  const { jobId, kind, target } = job;
  if (kind === 'provision' || mac.state !== 'ready' || mac.openJob?.jobId !== jobId) return false;
  const now = deps.clock.now();
  const started = { startedAt: now, revision: mac.revision + 1 };
  if (!(await changeJob(tx, job, 'start', started))) return false;
  if ((await beginChange(tx, mac, { jobId, kind, target }, now)) !== started.revision) {
    throw new Error(`the Mac of job ${jobId} is ready but could not be changed`);
  }
  wakeForJob(tx, deps.wake, mac);
  return true;
}

/** Ends the Mac's open job as done and returns the Mac's fields to write, with the new setup. */
export async function finishJob(tx: Transaction, deps: JobChangeDeps, mac: Mac): Promise<MachineChanges> {
  const job = mac.openJob;
  if (!job) return {};
  const now = deps.clock.now();
  // A Mac may be ready before its provision job has started.
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

/** Ends a job as failed. Returns false if it has ended already. */
export async function failJob(
  tx: Transaction,
  deps: JobChangeDeps,
  job: Pick<Job, 'jobId' | 'status' | 'rentalId'>,
  error: JobError,
  reason: Message,
): Promise<boolean> {
  const why = { error, message: reason.text, reason };
  const failed = await changeJob(tx, job, 'fail', { ...why, endedAt: deps.clock.now() });
  if (failed) tx.onCommit(() => deps.wake.wake('jobs', job.rentalId));
  return failed !== null;
}

/** Ends a change as failed; the Mac continues as it was or is recreated. */
export async function failChange(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Mac,
  failure: { readonly error: JobError; readonly reason: Message; readonly mac: 'ready' | 'anew' },
): Promise<void> {
  const job = mac.openJob && { ...mac.openJob, rentalId: mac.rentalId };
  if (job) await failJob(tx, deps, job, failure.error, failure.reason);
  const why = { at: deps.clock.now(), ...jobEnded(mac, 'job_failed') };
  if (failure.mac === 'ready') {
    await changeMachine(tx, mac, 'prepared', why, { awaySince: null, making: null });
    return;
  }
  const numbers = { generation: mac.generation + 1, revision: mac.revision + 1 };
  await changeMachine(tx, mac, 'lost', why, { ...numbers, ...makingAgain(mac, why.at) });
}

/** The reason of a change of the Mac's state by the end of its open job. */
export const jobEnded = (mac: Pick<Mac, 'openJob'>, cause: 'job_done' | 'job_failed') => ({
  cause,
  ...(mac.openJob ? { jobId: mac.openJob.jobId } : {}),
});

/**
 * Returns the fields of a Mac that its host begins to recreate. The customer has not requested it, so the time counts
 * as lost from now on.
 */
export const makingAgain = (mac: Pick<Mac, 'readyAt' | 'awaySince'>, now: number) => ({
  preparingSince: now,
  prepareFailed: false,
  making: null,
  repairing: false,
  repairAt: null,
  awaySince: awayFrom(mac, now),
});

/** Must be called in the transaction that removes a Mac. */
export async function failJobOfEnded(tx: Transaction, deps: JobChangeDeps, mac: Mac): Promise<void> {
  if (!mac.openJob) return;
  const job = { ...mac.openJob, rentalId: mac.rentalId };
  await failJob(tx, deps, job, 'rental_ended', jobReason('rental_ended'));
}

export const jobReason = messagesOf(jobReasons);
