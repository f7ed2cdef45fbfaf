// Compares the calendar, the database and hosts' reports, and reports differences. Repairs nothing: a difference is a
// bug, and a person has to decide which side is right.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { hostsOfProcess } from '../../hosts/app/hosts.js';
import { macsOfHost } from '../../macs/app/macs.js';
import type { ReportedMacs } from '../../macs/app/reported-macs.js';
import type { Gauge } from '../../platform/app/gauge.js';
import type { Processes } from '../../platform/app/processes.js';
import type { DegradationSource } from '../../platform/domain/degradation.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import {
  calendarDifferences,
  type Difference,
  differenceKinds,
  hostDifferences,
} from '../domain/availability-audit.js';
import { readContradictions } from '../store/availability-audit.js';
import { readCalendarChanges } from '../store/calendar.js';
import type { Availability } from './availability.js';

export { readContradictions as contradictionsOfSlots } from '../store/availability-audit.js';

export interface AvailabilityAuditDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Hosts act in real time. */
  readonly realClock: Clock;
  readonly availability: Availability;
  readonly processes: Pick<Processes, 'id'>;
  readonly reportedMacs: ReportedMacs;
  readonly limits: Pick<Limits, 'audit_grace_ms'>;
  readonly log: Pick<Log, 'error' | 'info'>;
}

export interface AvailabilityAudit {
  /** Compares now; logs new differences and those that are gone. */
  run(): Promise<readonly Difference[]>;
  readonly degradations: DegradationSource;
  readonly gauges: readonly Gauge[];
}

/** Lower than the revision of any host. */
const ALL = -1;

export function createAvailabilityAudit(deps: AvailabilityAuditDeps): AvailabilityAudit {
  const { store, clock, realClock, availability, reportedMacs, limits, log } = deps;
  let differences: readonly Difference[] = [];
  // Since when each difference with a host exists, because hosts report changes with a delay.
  let since = new Map<string, number>();

  const lasting = (found: readonly Difference[], now: number): Difference[] => {
    since = new Map(found.map(({ message }) => [message, since.get(message) ?? now]));
    return found.filter(({ message }) => (since.get(message) ?? now) <= now - limits.audit_grace_ms);
  };

  // Transactions are serial, so the calendar and the rows are read at the same moment.
  const compare = async (tx: Transaction): Promise<Difference[]> => {
    const now = clock.now();
    const calendar = await availability.within(tx);
    const hosts = await readCalendarChanges(tx, ALL);
    const found = calendarDifferences(calendar, hosts);
    for (const message of await readContradictions(tx, now - limits.audit_grace_ms)) {
      found.push({ kind: 'database', message });
    }
    const ofHosts: Difference[] = [];
    // The others report to other processes.
    const here = await hostsOfProcess(tx, deps.processes.id);
    for (const { host } of hosts) {
      const reported = here.has(host.hostId) ? reportedMacs.of(host.hostId) : null;
      if (!reported) continue;
      ofHosts.push(...hostDifferences(host.hostId, await macsOfHost(tx, host.hostId), reported));
    }
    return [...found, ...lasting(ofHosts, realClock.monotonic())];
  };

  return {
    async run() {
      const found = await store.transaction(compare);
      const before = new Set(differences.map(({ message }) => message));
      const after = new Set(found.map(({ message }) => message));
      for (const { kind, message } of found) {
        if (!before.has(message)) log.error({ kind }, `availability audit: ${message}`);
      }
      for (const { kind, message } of differences) {
        if (!after.has(message)) log.info({ kind }, `availability audit: resolved: ${message}`);
      }
      differences = found;
      return found;
    },
    degradations() {
      if (differences.length === 0) return [];
      const count = `${differences.length} difference${differences.length === 1 ? '' : 's'}`;
      const message = `${count} between the calendar, the database and the hosts; the log names them.`;
      return [{ name: 'availability', message }];
    },
    gauges: [
      {
        name: 'cidermill_availability_differences',
        help: 'Differences between calendar, database and hosts at the last audit; 0 in normal operation.',
        read: () =>
          Object.fromEntries(
            differenceKinds.map((kind) => [`kind="${kind}"`, differences.filter((one) => one.kind === kind).length]),
          ),
      },
    ],
  };
}
