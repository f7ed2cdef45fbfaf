// Gauges over the whole service, read when /metrics is requested.
import type { Clock } from '../../../shared/clock.js';
import type { OperatorNotices } from '../../operators/app/operator-notices.js';
import { problemKinds } from '../../operators/domain/problem.js';
import { type Gauge, type GaugeGroup, labels } from '../../platform/app/gauge.js';
import type { Limits } from '../../platform/domain/limits.js';
import { lastBackupAt } from '../../platform/store/meta.js';
import type { Store } from '../../platform/store/sql.js';
import { type Counted, countBuilds, countHosts, countMacs, oldestQueued } from '../store/counts.js';
import { createHostGauges } from './host-gauges.js';

export function createGauges(deps: { store: Store; clock: Clock; limits: Limits }): readonly (Gauge | GaugeGroup)[] {
  const { store, clock } = deps;
  const labeled = (label: string, counts: readonly Counted[]) =>
    Object.fromEntries(counts.map(({ name, count }) => [labels({ [label]: name }), count]));
  return [
    {
      name: 'cidermill_builds',
      help: 'Builds that run and that wait.',
      read: async () => labeled('status', await countBuilds(store)),
    },
    {
      name: 'cidermill_build_oldest_queued_seconds',
      help: 'Age of the oldest queued build; 0 when none waits.',
      read: async () => {
        const since = await oldestQueued(store);
        return { '': since === null ? 0 : Math.max(0, clock.now() - since) / 1000 };
      },
    },
    {
      name: 'cidermill_hosts',
      help: 'Hosts that have not been removed.',
      read: async () => labeled('link', await countHosts(store)),
    },
    {
      name: 'cidermill_macs',
      help: 'Macs that have not ended.',
      read: async () => labeled('state', await countMacs(store)),
    },
    {
      name: 'cidermill_backup_last_success_timestamp_seconds',
      help: 'When `cidermill admin backup` last wrote a copy of the database; missing if it never has.',
      read: async (): Promise<Record<string, number>> => {
        const at = await lastBackupAt(store);
        return at === null ? {} : { '': at / 1000 };
      },
    },
    createHostGauges(deps),
  ];
}

export function createProblemGauge(notices: Pick<OperatorNotices, 'open'>): Gauge {
  return {
    name: 'cidermill_operator_problems',
    help: 'Problems that operators have been notified of and that are not over.',
    async read() {
      const open = await notices.open();
      return Object.fromEntries(
        problemKinds.map((kind) => [labels({ kind }), open.filter((one) => one.kind === kind).length]),
      );
    },
  };
}
