import { type Command, Option } from 'commander';
import type { FleetHost, OperatorHostFilter } from '../../../../client/types.js';
import { printedJson } from '../../../../shared/clean-text.js';
import { countOf } from '../../../../shared/count.js';
import { STATES } from '../../../hosts/domain/host-summary.js';
import type { Cli, Run } from '../../command.js';
import { fitTable } from '../../fit-table.js';
import { keyAndValue, wholeNumber } from '../../operation-options.js';
import { redrawn } from '../../watch.js';
import { hostColumns, orders, sorted } from './columns.js';
import { type Fleet, readFleet } from './fleet.js';

interface ListOptions {
  readonly state?: NonNullable<OperatorHostFilter['state']>;
  readonly tier?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly sort: keyof typeof orders;
  readonly wide?: boolean;
  readonly watch?: boolean;
  readonly columns?: number;
}

const WATCH_MS = 2_000;

export function addListCommand(host: Command, cli: Cli): void {
  cli
    .command<ListOptions>(host, 'list', 'hosts with their state, what runs on them, and what is wrong', list)
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
    .addOption(new Option('--columns <n>').argParser(wholeNumber).hideHelp());
}

async function list(run: Run, options: ListOptions): Promise<undefined> {
  const { state, tier, label } = options;
  const labels = label && Object.entries(label).map(([key, value]) => `${key}=${value}`);
  const read = () => readFleet(run.client, { state, tier, labels: labels?.join(',') });
  const width = options.wide ? null : (options.columns ?? run.screen?.columns ?? null);
  const text = (fleet: Fleet, hosts: readonly FleetHost[]) =>
    hosts.length === 0 ? noneText(fleet, options) : fitTable(hostColumns(Date.parse(fleet.at)), hosts, width);
  if (!options.watch) {
    const fleet = await read();
    const hosts = sorted(fleet.hosts, options.sort);
    run.show({ json: { hosts }, text: text(fleet, hosts) });
    return undefined;
  }
  for (;;) {
    const fleet = await read();
    const hosts = sorted(fleet.hosts, options.sort);
    const page = `${fleet.at}  ${summaryOf(hosts)}\n${text(fleet, hosts)}`;
    run.write(run.asJson ? `${printedJson({ hosts, at: fleet.at })}\n` : redrawn(page, run.screen));
    await run.pause(WATCH_MS);
  }
}

/** @example '50 hosts: 48 active, 2 away; 12 running builds' */
function summaryOf(hosts: readonly FleetHost[]): string {
  const states = hosts.map(({ state }) => state);
  const counts = [...new Set(states)].sort().map((state) => `${states.filter((one) => one === state).length} ${state}`);
  const builds = hosts.reduce((sum, { running }) => sum + running.length, 0);
  const of = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${countOf(hosts.length, 'host')}${of}; ${countOf(builds, 'running build')}`;
}

function noneText({ counts }: Fleet, { state, tier, label }: ListOptions): string {
  if (state !== undefined || tier !== undefined || label !== undefined) return 'no host matches';
  const removed = counts.length === 0 ? '' : ' (removed hosts: --state removed)';
  return `no hosts: enroll one with cidermill admin host enroll${removed}`;
}
