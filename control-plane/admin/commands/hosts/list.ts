import { type Command, Option } from 'commander';
import { countOf } from '../../../../shared/count.js';
import { hasLabels } from '../../../hosts/domain/host-labels.js';
import { STATES, stateOf } from '../../../hosts/domain/host-summary.js';
import { conditionsOfFleet, type FleetHost } from '../../../start/app/fleet.js';
import { fleetView } from '../../../start/http/fleet-view.js';
import { type Action, type Result, subcommand, wholeNumber } from '../../command.js';
import { fitTable } from '../../fit-table.js';
import type { AdminService } from '../../service.js';
import { redrawn } from '../../watch.js';
import { hostColumns, orders, sorted } from './columns.js';
import { keyAndValue, type SelectionOptions } from './selection.js';

interface ListOptions extends SelectionOptions {
  readonly state?: (typeof STATES)[number];
  readonly sort: keyof typeof orders;
  readonly wide?: boolean;
  readonly watch?: boolean;
  readonly columns?: number;
  readonly page?: string;
}

export function addListCommand(host: Command, action: Action): void {
  subcommand(host, 'list', 'hosts with their state, what runs on them, and what is wrong')
    .addOption(
      new Option(
        '--state <state>',
        'only hosts in this state or condition (the only way to list removed hosts)',
      ).choices(STATES),
    )
    .option('--tier <id>', 'only hosts of this tier')
    .option('--label <key=value>', 'only hosts with this label; several times: with all of them', keyAndValue)
    .addOption(new Option('--sort <by>', 'sort order').choices(Object.keys(orders)).default('name'))
    .option('--wide', 'all columns (default on a terminal: those that fit)')
    .option('--watch', 'repeat every 2 seconds until Ctrl-C')
    .addOption(new Option('--columns <n>').argParser(wholeNumber).hideHelp())
    .addOption(new Option('--page <page>').hideHelp())
    .action(action<ListOptions>(list, redrawn));
}

const WATCH_MS = 2_000;

async function list(service: AdminService, options: ListOptions): Promise<Result> {
  if (options.page !== undefined) await service.pause(WATCH_MS);
  const now = service.now();
  const all = await service.fleet.list();
  const hosts = sorted(all.filter(isWanted(options)), options.sort);
  const width = options.wide ? null : (options.columns ?? null);
  const summary = options.watch ? `${new Date(now).toISOString()}  ${summaryOf(hosts)}\n` : '';
  return {
    json: {
      hosts: hosts.map((one) => fleetView(one, now)),
      ...(options.watch ? { at: new Date(now).toISOString(), next: String(now) } : {}),
    },
    text: summary + (hosts.length === 0 ? noneText(all, options) : fitTable(hostColumns(now), hosts, width)),
  };
}

const isWanted =
  ({ state, tier, label = {} }: ListOptions) =>
  (one: FleetHost): boolean => {
    const { host } = one;
    return (
      (state === undefined ? host.status !== 'removed' : conditionsOfFleet(one).includes(state)) &&
      (tier === undefined || host.tier === tier) &&
      hasLabels(host.labels, label)
    );
  };

/** @example '50 hosts: 48 active, 2 away; 12 running builds' */
function summaryOf(hosts: readonly FleetHost[]): string {
  const states = hosts.map(({ host }) => stateOf(host));
  const counts = [...new Set(states)].sort().map((state) => `${states.filter((one) => one === state).length} ${state}`);
  const builds = hosts.reduce((sum, one) => sum + one.builds.length, 0);
  const of = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${countOf(hosts.length, 'host')}${of}; ${countOf(builds, 'running build')}`;
}

function noneText(all: readonly FleetHost[], { state, tier, label }: ListOptions): string {
  if (state !== undefined || tier !== undefined || label !== undefined) return 'no host matches';
  const removed = all.length === 0 ? '' : ' (removed hosts: --state removed)';
  return `no hosts: enroll one with cidermill admin host enroll${removed}`;
}
