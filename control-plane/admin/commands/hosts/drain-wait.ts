// `host drain --wait`: pages of progress until no build runs on the hosts.
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { HostChange } from '../../../hosts/domain/host-change.js';
import { spanText } from '../../../hosts/domain/host-summary.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import type { FleetHost } from '../../../start/app/fleet.js';
import { buildView } from '../../../start/http/fleet-view.js';
import { type Result, table, wholeNumber } from '../../command.js';
import type { AdminService } from '../../service.js';
import { changed } from './selection.js';

const EXIT_TIMEOUT = 124;
/** Whether builds still run on a host is not known while it is away. */
const EXIT_AWAY = 75;
const EXIT_UNDRAINED = 65;

const TURN_MS = 500;
/** A command in a remote service must answer within a minute. */
const TURNS = 40;
/** A host that is away for longer than a restart of its agent or of the service takes. */
const AWAY_MS = 60_000;

export function withWait(drain: Command): Command {
  return drain
    .option('--wait', 'show progress until no build runs there; Ctrl-C stops the progress, not the drain')
    .option('--timeout <minutes>', 'how long --wait waits at most', wholeNumber)
    .addOption(new Option('--page <page>').hideHelp())
    .addHelpText('after', WAIT_HELP);
}

const WAIT_HELP = `
Exit codes of --wait: 0 no build runs there; 75 a host with builds is away; 124 --timeout has passed; 130 Ctrl-C;
65 somebody has ended the drain of a host with builds.`;

/** What the drain changed, and the hosts to wait for. */
export function firstDrainPage(
  { now }: AdminService,
  changes: readonly HostChange[],
  timeoutMinutes: number | undefined,
): Result {
  const hostIds = changes.filter(({ leftOut }) => leftOut === null).map(({ host }) => host.hostId);
  const until = timeoutMinutes === undefined ? null : now() + timeoutMinutes * 60_000;
  const { json, text } = changed(changes);
  return { json: { ...json, next: JSON.stringify({ hostIds, until, seen: '' }) }, text };
}

const pageShape = z.object({
  hostIds: z.array(z.string()),
  until: z.number().nullable(),
  /** The state of the hosts on the page before. */
  seen: z.string(),
});
type Page = z.infer<typeof pageShape>;

/** @param given `next` of the previous page */
export async function nextDrainPage(service: AdminService, given: string): Promise<Result> {
  const page = parsed(given);
  let hosts = await read(service, page.hostIds);
  let end = endOf(hosts, page.until, service.now());
  for (let turn = 0; turn < TURNS && end === null && stateOf(hosts) === page.seen; turn++) {
    await service.pause(TURN_MS);
    hosts = await read(service, page.hostIds);
    end = endOf(hosts, page.until, service.now());
  }
  const rows = table(hosts.map((one) => rowOf(one, service.now())));
  const after = end
    ? { exit_code: end.exitCode, ended: end.sentence }
    : { next: JSON.stringify({ ...page, seen: stateOf(hosts) }) };
  return {
    json: { hosts: hosts.map(progressView), ...after },
    text: end ? `${rows}\n${end.sentence}` : rows,
  };
}

function parsed(page: string): Page {
  try {
    return pageShape.parse(JSON.parse(page));
  } catch (cause) {
    throw new ApiError('invalid_request', {
      message: '--page is not valid: it comes from the result of the previous page.',
      cause,
    });
  }
}

const progressView = ({ host, builds }: FleetHost) => ({
  host_id: host.hostId,
  name: host.name,
  status: host.status,
  connected: host.connected,
  running: builds.map(buildView),
});

async function read({ fleet }: AdminService, hostIds: readonly string[]): Promise<FleetHost[]> {
  const wanted = new Set(hostIds);
  return (await fleet.list()).filter(({ host }) => wanted.has(host.hostId));
}

interface End {
  readonly exitCode: number;
  readonly sentence: string;
}

/** Returns how the wait ends at `now`; null: it goes on. `until`: when to give up, ms; null: never. */
export function endOf(hosts: readonly FleetHost[], until: number | null, now: number): End | null {
  const names = (of: readonly FleetHost[]) => of.map(({ host }) => `${host.name} (${host.hostId})`).join(', ');
  const open = hosts.filter(({ builds }) => builds.length > 0);
  if (open.length === 0) return { exitCode: 0, sentence: 'No build runs there any more.' };
  const undrained = open.filter(({ host }) => host.status === 'active' || host.status === 'cordoned');
  if (undrained.length > 0) {
    return { exitCode: EXIT_UNDRAINED, sentence: `Not draining any more: ${names(undrained)}.` };
  }
  const away = open.filter(({ host }) => !host.connected && now - (host.lastSeenAt ?? 0) >= AWAY_MS);
  if (away.length > 0) {
    const sentence = `Not connected, so it is not known whether their builds have ended: ${names(away)}. They stay draining.`;
    return { exitCode: EXIT_AWAY, sentence };
  }
  if (until === null || now < until) return null;
  return { exitCode: EXIT_TIMEOUT, sentence: `Builds still run on ${names(open)}. They stay draining.` };
}

/** Changes when a build starts or ends, not as time passes. */
const stateOf = (hosts: readonly FleetHost[]) =>
  hosts
    .map(
      ({ host, builds }) => `${host.hostId}:${host.status}:${host.connected}:${builds.map(({ buildId }) => buildId)}`,
    )
    .join(' ');

const rowOf = ({ host, builds }: FleetHost, now: number): string[] => [
  host.name,
  host.hostId,
  builds.length === 0
    ? 'no build runs'
    : `${host.connected ? '' : 'away; '}still runs ${builds
        .map(({ buildId, organization, startedAt }) => {
          return `${buildId} ${organization.slug} (${spanText(now - (startedAt ?? now))})`;
        })
        .join(', ')}`,
];
