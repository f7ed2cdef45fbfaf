// `host drain --wait`: progress until no build runs on the hosts.
import type { FleetHost } from '../../../../client/types.js';
import { spanText } from '../../../../shared/span-text.js';
import { type Run, table } from '../../command.js';
import { readHosts } from './fleet.js';

const EXIT_TIMEOUT = 124;
/** Whether builds still run on a host is not known while it is away. */
const EXIT_AWAY = 75;
const EXIT_UNDRAINED = 65;

const TURN_MS = 500;
/** A host that is away for longer than a restart of its agent or of the service takes. */
const AWAY_MS = 60_000;

export const WAIT_HELP = `
Exit codes of --wait: 0 no build runs there; 75 a host with builds is away; 124 --timeout has passed; 130 Ctrl-C;
65 somebody has ended the drain of a host with builds.`;

/** Shows each change until the wait ends. Returns the exit code. */
export async function waitForDrain(
  { client, show, pause, clock }: Run,
  ids: readonly string[],
  timeoutMinutes: number | undefined,
): Promise<number> {
  const began = clock.monotonic();
  for (let shown = ''; ; await pause(TURN_MS)) {
    const { hosts, at } = await readHosts(client, ids);
    // The clock of the service may differ from that of this machine.
    const now = Date.parse(at);
    const isLate = timeoutMinutes !== undefined && clock.monotonic() - began >= timeoutMinutes * 60_000;
    const end = endOf(hosts, isLate, now);
    const state = stateOf(hosts);
    if (end === null && state === shown) continue;
    shown = state;
    const rows = table(hosts.map((one) => rowOf(one, now)));
    const progress = { hosts: hosts.map(progressOf) };
    if (end === null) {
      show({ json: progress, text: rows });
      continue;
    }
    const { exitCode, sentence } = end;
    show({ json: { ...progress, exit_code: exitCode, ended: sentence }, text: `${rows}\n${sentence}` });
    return exitCode;
  }
}

/** The fields of a host that decide whether the wait goes on. */
export type DrainedHost = Pick<FleetHost, 'host_id' | 'name' | 'status' | 'connected' | 'last_seen_at' | 'running'>;

const progressOf = ({ host_id, name, status, connected, running }: DrainedHost) => ({
  host_id,
  name,
  status,
  connected,
  running,
});

interface End {
  readonly exitCode: number;
  readonly sentence: string;
}

/** Returns how the wait ends at `now`, ms; null: it goes on. `isLate`: its timeout has passed. */
export function endOf(hosts: readonly DrainedHost[], isLate: boolean, now: number): End | null {
  const names = (of: readonly DrainedHost[]) => of.map(({ name, host_id }) => `${name} (${host_id})`).join(', ');
  const open = hosts.filter(({ running }) => running.length > 0);
  if (open.length === 0) return { exitCode: 0, sentence: 'No build runs there now.' };
  const undrained = open.filter(({ status }) => status === 'active' || status === 'cordoned');
  if (undrained.length > 0) {
    return { exitCode: EXIT_UNDRAINED, sentence: `No longer draining: ${names(undrained)}.` };
  }
  const seen = ({ last_seen_at }: DrainedHost) => (last_seen_at === null ? 0 : Date.parse(last_seen_at));
  const away = open.filter((one) => !one.connected && now - seen(one) >= AWAY_MS);
  if (away.length > 0) {
    const sentence = `Not connected, so it is not known whether their builds have ended: ${names(away)}. They stay draining.`;
    return { exitCode: EXIT_AWAY, sentence };
  }
  if (!isLate) return null;
  return { exitCode: EXIT_TIMEOUT, sentence: `Builds still run on ${names(open)}. They stay draining.` };
}

/** Changes when a build starts or ends, not as time passes. */
const stateOf = (hosts: readonly DrainedHost[]) =>
  hosts
    .map(
      ({ host_id, status, connected, running }) =>
        `${host_id}:${status}:${connected}:${running.map(({ build_id }) => build_id)}`,
    )
    .join(' ');

const rowOf = ({ name, host_id, connected, running }: DrainedHost, now: number): string[] => [
  name,
  host_id,
  running.length === 0
    ? 'no build runs'
    : `${connected ? '' : 'away; '}still runs ${running
        .map(({ build_id, organization, started_at }) => {
          const begun = started_at === null ? now : Date.parse(started_at);
          return `${build_id} ${organization.slug} (${spanText(now - begun)})`;
        })
        .join(', ')}`,
];
