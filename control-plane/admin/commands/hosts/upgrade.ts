// Upgrades of agents: a few hosts first, then the others, a few at a time.
import type { Command } from 'commander';
import { getUpgrade } from '../../../../client/operations/operator.js';
import type { Rollout } from '../../../../client/types.js';
import { cancelUpgrade, upgradeHosts } from '../../../hosts/http/operator-upgrade-changes.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Cli, type Run, table } from '../../command.js';
import { addFieldOptions, fieldValues } from '../../operation-options.js';
import type { OperatorClient } from '../../operator-client.js';

interface UpgradeOptions extends Readonly<Record<string, unknown>> {
  readonly wait?: boolean;
  readonly status?: boolean;
  readonly cancel?: boolean;
}

const TURN_MS = 500;

const named = { without: ['hosts'] };
const givenIn = (options: UpgradeOptions) => fieldValues(upgradeHosts.input, options, named);

export function addUpgradeCommand(host: Command, cli: Cli): void {
  const description = 'install another version of the agent; builds go on';
  const command = cli.command<UpgradeOptions>(host, 'upgrade [hosts...]', description, upgrade);
  addFieldOptions(command, upgradeHosts.input, named)
    .option('--wait', 'show progress until all hosts are done; fail if one fails')
    .option('--status', 'show the last upgrade')
    .option('--cancel', 'stop the upgrade; hosts that are already restarting continue');
}

async function upgrade(run: Run, options: UpgradeOptions, ...refs: string[]): Promise<undefined> {
  checkOptions(options, refs);
  const { client, show, pause } = run;
  let shown = await begun(client, options, refs);
  if (shown === null) {
    show({ json: { upgrade: null }, text: 'no upgrade has been started on this service yet' });
    return undefined;
  }
  for (let before = ''; ; shown = (await newest(client)) ?? shown) {
    if (options.wait && shown.status === 'failed') throw stopped(shown);
    const state = stateOf(shown);
    if (state !== before) show({ json: { upgrade: shown }, text: textOf(shown) });
    if (!options.wait || shown.status !== 'running') return undefined;
    before = state;
    await pause(TURN_MS);
  }
}

function checkOptions(options: UpgradeOptions, refs: readonly string[]): void {
  const { status, cancel } = options;
  const { all, tier, labels } = givenIn(options);
  const selects = refs.length > 0 || all || tier !== undefined || labels !== undefined;
  if ((status || cancel) && selects) {
    const message = '--status and --cancel are about the whole upgrade: give no hosts with them.';
    throw new ApiError('invalid_request', { message });
  }
  if (status && cancel) {
    throw new ApiError('invalid_request', { message: 'Give either --status or --cancel.' });
  }
}

/** Does what the options say, and returns the upgrade. */
async function begun(
  client: OperatorClient,
  options: UpgradeOptions,
  refs: readonly string[],
): Promise<Rollout | null> {
  const { status, cancel } = options;
  if (status) return newest(client);
  if (cancel) return (await client.run(cancelUpgrade, {})).upgrade;
  return (await client.run(upgradeHosts, { ...givenIn(options), hosts: [...refs] })).upgrade;
}

const newest = async (client: OperatorClient): Promise<Rollout | null> =>
  (await client.read(getUpgrade, { hosts: 'all' })).upgrade;

const stopped = ({ version, error, hosts_done, hosts_total }: Rollout) =>
  new ApiError('host_state', {
    message: `The upgrade to ${version} was stopped. ${error} ${hosts_done} of ${hosts_total} hosts run it; the others were not changed.`,
  });

const stateOf = ({ status, soak_until, hosts }: Rollout) =>
  [
    `${status}.${soak_until ?? ''}`,
    ...hosts.map(({ host_id, state, upgrade }) => `${host_id}.${state}.${upgrade?.state}`),
  ].join(',');

function textOf(shown: Rollout): string {
  const rows = shown.hosts.map((row) => [
    row.name,
    row.host_id,
    row.agent_version ?? 'unknown',
    row.canary ? 'canary' : '',
    hostText(row),
  ]);
  return [headline(shown), ...(rows.length === 0 ? [] : [table(rows)])].join('\n');
}

/** @example 'upgrade to 1.2.0: running; the other hosts follow at 2026-01-01T00:10:00.000Z' */
function headline({ version, status, error, soak_until, hosts }: Rollout): string {
  const waits = status === 'running' && soak_until !== null && !hosts.some(({ state }) => state === 'upgrading');
  const more = status === 'failed' ? `: ${error}` : waits ? `; the other hosts follow at ${soak_until}` : '';
  return `upgrade to ${version}: ${status}${more}`;
}

function hostText({ state, error, connected, upgrade }: Rollout['hosts'][number]): string {
  if (state === 'failed') return `failed: ${error}`;
  if (state === 'left_out') return `left out: ${error}`;
  if (state !== 'upgrading') return state;
  return connected ? (upgrade?.state ?? 'upgrading') : 'restarting';
}
