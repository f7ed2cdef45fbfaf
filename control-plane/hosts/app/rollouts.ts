// Rollouts of agent versions: operators begin them, a worker advances them. All state is in the database.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import type { Message } from '../../../shared/messages/message.js';
import { upgradeError } from '../../../shared/messages/upgrade-errors.js';
import type { HostUpgrade } from '../../../shared/protocol/index.js';
import { compareVersions, type PackageFile } from '../../packages/domain/package-file.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { isUnhealthy } from '../domain/health.js';
import type { Host } from '../domain/host.js';
import { refusedChange } from '../domain/host-refusal.js';
import {
  decideRollout,
  type HostOutcome,
  outcome,
  type Rollout,
  type RolloutHost,
  runs,
  whyLeftOut,
} from '../domain/rollout.js';
import * as hostRows from '../store/hosts.js';
import * as rows from '../store/rollouts.js';
import type { HostsDeps } from './host-changes.js';
import { type HostSelection, selectHosts } from './host-selector.js';

export type RolloutDeps = HostsDeps & { readonly limits: Limits };

export interface RolloutView {
  readonly rollout: Rollout;
  readonly hosts: readonly (RolloutHost & { readonly host: Host })[];
}

export interface RolloutRequest {
  /** Default: the newest version of the packages that the service has; hosts with a newer one are left out then. */
  readonly version?: string | undefined;
  /** Default: 1. */
  readonly canaries?: number | undefined;
}

export type Rollouts = ReturnType<typeof createRollouts>;

export function createRollouts({ store, clock, wake, packages }: RolloutDeps) {
  const view = async (q: Queries, rollout: Rollout): Promise<RolloutView> => {
    const hosts = await hostsById(q);
    const list = await rows.hostsOfRollout(q, rollout.rolloutId);
    return {
      rollout,
      hosts: list.flatMap((row) => {
        const host = hosts.get(row.hostId);
        return host ? [{ ...row, host }] : [];
      }),
    };
  };

  const show = async (): Promise<RolloutView | null> => {
    const newest = await rows.newestRollout(store);
    return newest && view(store, newest);
  };

  return {
    /** Returns the newest rollout; null if there was none. */
    show,

    /**
     * Begins to upgrade the selected hosts. Hosts that cannot be upgraded are left out, with the reason. `done` runs in the
     * transaction, with the ids of the hosts.
     *
     * @throws ApiError invalid_request for a version without a package (the message lists those there are), host_state
     *   while another rollout runs; what selectHosts throws
     */
    async begin(
      selection: HostSelection,
      { version: wanted, canaries = 1 }: RolloutRequest,
      done?: InTransaction<readonly string[]>,
    ): Promise<void> {
      if (!Number.isInteger(canaries) || canaries < 0) {
        throw fieldError('invalid_request', 'canary', fieldProblem('too_small', { least: 0 }));
      }
      const available = (await packages.all()).filter(({ kind }) => kind === 'host-agent');
      const version = wanted ?? available[0]?.version;
      if (version === undefined || !available.some((file) => file.version === version)) {
        throw noPackage(wanted, available);
      }
      await store.transaction(async (tx) => {
        const hosts = await selectHosts(tx, selection);
        const running = await rows.runningRollout(tx);
        if (running) {
          throw refusedChange(hostRefusal('upgrade_running', { version: running.version }));
        }
        const ended = { status: 'running', error: null, soakUntil: null, endedAt: null } as const;
        const begun = { rolloutId: newId('rollout'), version, canaries, createdAt: clock.now() };
        await rows.insertRollout(tx, { ...begun, ...ended });
        const firsts = await inOrder(tx, hosts);
        let canariesLeft = canaries;
        for (const [position, host] of firsts.entries()) {
          const verdict = verdictOf(host, version, wanted !== undefined, available);
          const canary = verdict.state === 'waiting' && canariesLeft-- > 0;
          const { rolloutId } = begun;
          const fields = { rolloutId, hostId: host.hostId, position, canary, startedAt: null, endedAt: null };
          await rows.rolloutHosts.insert(tx, { ...fields, ...verdict });
        }
        tx.onCommit(() => wake.wake('hosts'));
        await done?.(
          tx,
          hosts.map(({ hostId }) => hostId),
        );
      });
    },

    /**
     * Stops the rollout: hosts that are already restarting go on. Also clears a failed one from /healthz. `done` runs in the
     * transaction, with the id of the rollout.
     */
    async cancel(done?: InTransaction<string>): Promise<void> {
      await store.transaction(async (tx) => {
        const newest = await rows.newestRollout(tx);
        if (!newest || newest.status === 'done' || newest.status === 'cancelled') {
          throw refusedChange(hostRefusal('no_upgrade'));
        }
        const endedAt = clock.now();
        const { rolloutId } = newest;
        for (const row of await rows.hostsOfRollout(tx, rolloutId)) {
          if (row.state !== 'waiting' && row.state !== 'upgrading') continue;
          const code = row.state === 'waiting' ? 'cancelled_before' : 'cancelled_while_upgrading';
          await rows.rolloutHosts.update(tx, keyOf(row), {
            ...outcome('left_out', upgradeError(code)),
            endedAt,
          });
          tx.onCommit(() => wake.wake('host', row.hostId));
        }
        await rows.rollouts.update(tx, { rolloutId }, { status: 'cancelled', endedAt });
        await done?.(tx, rolloutId);
      });
    },
  };
}

const keyOf = ({ rolloutId, hostId }: RolloutHost) => ({ rolloutId, hostId });

async function hostsById(q: Queries): Promise<Map<string, Host>> {
  return new Map((await hostRows.listHosts(q)).map((host) => [host.hostId, host]));
}

/** Sorts the best canaries first: healthy hosts, among them those without builds. */
async function inOrder(q: Queries, hosts: readonly Host[]): Promise<Host[]> {
  const busy = await rows.hostsWithBuilds(q);
  const rank = (host: Host) =>
    (whyLeftOut(host) === null ? 0 : 8) +
    (isUnhealthy(host.health) || host.blocked || host.diskLow ? 4 : 0) +
    (host.status === 'active' ? 0 : 2) +
    (busy.has(host.hostId) ? 1 : 0);
  return hosts.toSorted((a, b) => rank(a) - rank(b));
}

/** Returns the first state of a selected host. */
function verdictOf(host: Host, version: string, explicit: boolean, available: readonly PackageFile[]): HostOutcome {
  if (host.agentVersion !== null && runs(host, version)) return outcome('done', null);
  const leftOut = (error: Message) => outcome('left_out', error);
  const why = whyLeftOut(host);
  if (why !== null) return leftOut(why);
  const platform = host.upgrade?.platform;
  if (!available.some((file) => file.version === version && file.platform === platform)) {
    return leftOut(upgradeError('no_package', { version, platform: platform ?? 'unknown' }));
  }
  if (!explicit && host.agentVersion !== null && compareVersions(host.agentVersion, version) > 0) {
    return leftOut(upgradeError('runs_newer', { newer: host.agentVersion, version }));
  }
  return outcome('waiting', null);
}

function noPackage(wanted: string | undefined, available: readonly PackageFile[]): ApiError {
  const known = [...new Set(available.map(({ version }) => version))].join(', ');
  const problem =
    wanted === undefined || known === ''
      ? fieldProblem('no_packages')
      : fieldProblem('no_package', { version: wanted, known });
  return fieldError('invalid_request', 'to', problem);
}

/**
 * Does what is due in the rollout that runs.
 *
 * @returns when the next step is due; null if no rollout runs
 */
export async function advanceRollout({ store, clock, wake, limits }: RolloutDeps): Promise<number | null> {
  if ((await rows.runningRollout(store)) === null) return null;
  return store.transaction(async (tx) => {
    const rollout = await rows.runningRollout(tx);
    if (rollout === null) return null;
    const { rolloutId } = rollout;
    const before = await rows.hostsOfRollout(tx, rolloutId);
    const hosts = await hostsById(tx);
    const now = clock.now();
    const step = decideRollout(rollout, before, hosts, now, limits);
    for (const { hostId, ...changes } of step.hosts) {
      const times = changes.state === 'upgrading' ? { startedAt: now } : { endedAt: now };
      await rows.rolloutHosts.update(tx, { rolloutId, hostId }, { ...changes, ...times });
      const host = hosts.get(hostId);
      if (changes.state === 'failed' && host) await recordFailure(tx, rollout, host, changes);
      tx.onCommit(() => wake.wake('host', hostId));
    }
    const ended = step.end && { ...step.end, endedAt: now };
    if (ended || step.soakUntil !== rollout.soakUntil) {
      await rows.rollouts.update(tx, { rolloutId }, { soakUntil: step.soakUntil, ...ended });
    }
    return step.nextAt;
  });
}

/** Records a failure that the host has not reported itself, so that lists of hosts show it until the next report. */
async function recordFailure(
  tx: Transaction,
  { rolloutId: attempt, version }: Rollout,
  { hostId, upgrade }: Host,
  { error, errorMessage }: HostOutcome,
): Promise<void> {
  if (upgrade?.attempt === attempt && (upgrade.state === 'failed' || upgrade.state === 'rolled_back')) return;
  const known: Pick<HostUpgrade, 'able' | 'platform'> = upgrade ?? { able: false, platform: 'unknown' };
  const why = { error, error_message: errorMessage && { ...errorMessage } };
  const failed = { ...known, attempt, version, state: 'failed' as const, ...why };
  await hostRows.hosts.update(tx, { hostId }, { upgrade: failed });
}
