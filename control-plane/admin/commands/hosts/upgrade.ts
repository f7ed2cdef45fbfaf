// Upgrades of agents: a few hosts first, then the others, a few at a time.
import { type Command, Option } from 'commander';
import type { RolloutView } from '../../../hosts/app/rollouts.js';
import { isoTime } from '../../../hosts/http/host-view.js';
import { rolloutView } from '../../../hosts/http/rollout-view.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Action, type Result, subcommand, table, wholeNumber } from '../../command.js';
import type { AdminService } from '../../service.js';
import { type SelectionOptions, selectionOf, withSelection } from './selection.js';

interface UpgradeOptions extends SelectionOptions {
  readonly to?: string;
  readonly canary: number;
  readonly wait?: boolean;
  readonly status?: boolean;
  readonly cancel?: boolean;
  readonly page?: string;
}

export function addUpgradeCommand(host: Command, action: Action): void {
  withSelection(subcommand(host, 'upgrade [host...]', 'install another version of the agent; builds go on'))
    .option('--to <version>', 'also an older one (default: the newest package of the service)')
    .option('--canary <n>', 'hosts that go first and prove the version before the others follow', wholeNumber, 1)
    .option('--wait', 'show progress until all hosts are done; fail if one fails')
    .option('--status', 'show the last upgrade')
    .option('--cancel', 'stop it; hosts that are already restarting go on')
    .addOption(new Option('--page <seen>').hideHelp())
    .action(action<UpgradeOptions>(upgrade));
}

/** With `wait`, each page is the progress since the previous page; the command line requests the next one. */
async function upgrade(service: AdminService, options: UpgradeOptions, ...refs: string[]): Promise<Result> {
  const { rollouts } = service;
  const { page, wait = false, status = false, cancel = false, all, tier, label } = options;
  if ((status || cancel) && (refs.length > 0 || all || tier !== undefined || label !== undefined)) {
    const message = '--status and --cancel are about the whole upgrade: give no hosts with them.';
    throw new ApiError('invalid_request', { message });
  }
  // With --status a command counts as one that changes nothing, and has no entry in the audit log.
  if (status && cancel) {
    throw new ApiError('invalid_request', { message: 'Give either --status or --cancel.' });
  }
  if (page === undefined && cancel) await rollouts.cancel();
  if (page === undefined && !status && !cancel) {
    const { to: version, canary: canaries } = options;
    await rollouts.begin(selectionOf(refs, options), { version, canaries });
  }
  let shown = await rollouts.show();
  if (shown === null) return { json: { upgrade: null }, text: 'no host has been upgraded from here yet' };
  for (let turn = 0; wait && turn < TURNS && stateOf(shown) === page; turn++) {
    await service.pause(TURN_MS);
    shown = (await rollouts.show()) ?? shown;
  }
  const { rollout } = shown;
  if (wait && rollout.status === 'failed') {
    throw new ApiError('host_state', {
      message: `The upgrade to ${rollout.version} was stopped. ${rollout.error} ${leftText(shown)}`.trim(),
    });
  }
  const next = wait && rollout.status === 'running' ? { next: stateOf(shown) } : {};
  return { json: { upgrade: rolloutView(shown), ...next }, text: textOf(shown) };
}

const TURN_MS = 200;
/** A command in a remote service must answer within a minute. */
const TURNS = 100;

const stateOf = ({ rollout, hosts }: RolloutView) =>
  [
    `${rollout.status}.${rollout.soakUntil ?? ''}`,
    ...hosts.map(({ hostId, state, host }) => `${hostId}.${state}.${host.upgrade?.state}`),
  ].join(',');

function textOf(shown: RolloutView): string {
  const { hosts } = shown;
  const rows = hosts.map((row) => [
    row.host.name,
    row.hostId,
    row.host.agentVersion ?? 'unknown',
    row.canary ? 'canary' : '',
    hostText(row),
  ]);
  return [headline(shown), ...(rows.length === 0 ? [] : [table(rows)])].join('\n');
}

/** @example 'upgrade to 1.2.0: running; the other hosts follow at 2026-01-01T00:10:00.000Z' */
function headline({ rollout, hosts }: RolloutView): string {
  const { version, status, error, soakUntil } = rollout;
  const waits = status === 'running' && soakUntil !== null && !hosts.some(({ state }) => state === 'upgrading');
  const more = status === 'failed' ? `: ${error}` : waits ? `; the other hosts follow at ${isoTime(soakUntil)}` : '';
  return `upgrade to ${version}: ${status}${more}`;
}

function hostText({ state, error, host }: RolloutView['hosts'][number]): string {
  if (state === 'failed') return `failed: ${error}`;
  if (state === 'left_out') return `left out: ${error}`;
  if (state !== 'upgrading') return state;
  return host.connected ? (host.upgrade?.state ?? 'upgrading') : 'restarting';
}

function leftText({ hosts }: RolloutView): string {
  const done = hosts.filter(({ state }) => state === 'done').length;
  return `${done} of ${hosts.length} hosts run it; the others were not changed.`;
}
