// Shared by all changes of hosts.
import type { Packages } from '../../packages/app/packages.js';
import type { Core } from '../../platform/app/core.js';
import type { Processes } from '../../platform/app/processes.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { ConstraintError, type Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Host } from '../domain/host.js';
import { hostLabel } from '../domain/host-refusal.js';

export interface HostsDeps extends Pick<Core, 'store' | 'clock'> {
  wake: Wake;
  /** Of the control plane; hosts are connected to one of them. */
  processes: Pick<Processes, 'id' | 'several' | 'whenGone'>;
  packages: Pick<Packages, 'all' | 'hostAgent'>;
  limits: Pick<
    Limits,
    | 'approval_ms'
    | 'approvals'
    | 'approvals_per_address'
    | 'enrolment_ms'
    | 'enrolment_uses'
    | 'enrolment_tokens'
    | 'host_lost_after_ms'
    | 'host_slots'
    | 'link_renew_ms'
    | 'ready_hosts_wait_ms'
    | 'reusable_enrolment_ms'
  >;
}

/** Wakes everything that depends on the host: its link, the workers that watch hosts, availability and the scheduler. */
export function wakeForHost(tx: Transaction, wake: Wake, hostId: string): void {
  tx.onCommit(() => {
    wake.wake('host', hostId);
    wake.wake('hosts', hostId);
    wake.wake('availability');
    wake.wake('scheduler');
  });
}

/** Throws invalid_tier for the constraint error of an unknown tier; rethrows every other error. */
export function noSuchTier(error: unknown): never {
  if (error instanceof ConstraintError) throw new ApiError('invalid_tier', { cause: error });
  throw error;
}

/** Returns a handler that puts the host's name in front of an ApiError's message; null: the error stays as it is. */
export const naming =
  (host: Pick<Host, 'name' | 'hostId'> | null) =>
  (error: unknown): never => {
    if (host === null || !(error instanceof ApiError)) throw error;
    const { code, message } = error;
    const subject = hostLabel(host);
    const refusals = error.detail.refusals?.map((refusal) => ({ ...refusal, subject }));
    const detail = { ...error.detail, ...(refusals ? { refusals } : {}) };
    throw new ApiError(code, { message: `${subject}: ${message}`, detail, cause: error });
  };
