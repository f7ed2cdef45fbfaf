// `cidermill host-agent status`: does the agent run, is it connected, and what does it do?
import { Command } from 'commander';
import { isErrno } from '../../shared/errno.js';
import { type AgentState, readAgentState } from '../daemon/agent-state.js';
import { asOwner } from '../installation/as-user.js';
import type { JobState } from '../installation/launchd.js';
import { publisherKeys } from '../installation/publisher-keys.js';
import { lockHolder } from '../system/lock.js';
import { EXIT } from './exit-codes.js';
import { type InstallDeps, thisMachine } from './install/machine.js';
import { findJob } from './installed-job.js';
import { defaultData, optionalDataOption } from './options.js';

/** As `systemctl status` does. */
const NOT_RUNNING = 3;

export interface Status {
  readonly running: boolean;
  readonly pid: number | null;
  /** Of launchd; null: not installed as a job. */
  readonly job: {
    readonly domain: string;
    readonly loaded: boolean;
    readonly runs: number | null;
    readonly last_exit: string | null;
  } | null;
  /** What the agent that runs, or the last one, has said; null: nothing, or it cannot be read. */
  readonly agent: AgentState | null;
  /** Public keys whose packages this program accepts; empty: signatures are not checked. */
  readonly publisher_keys: readonly string[];
  /** Why the data folder could not be read; null: it could. */
  readonly unreadable: string | null;
}

export function statusCommand(onExitCode: (code: number) => void): Command {
  return new Command('status')
    .exitOverride()
    .description('show whether the agent runs and is connected; exits with 3 if the agent does not run')
    .addOption(optionalDataOption())
    .option('--json', 'print the status as JSON')
    .action(async (flags: { data?: string; json?: true }) => {
      const deps = thisMachine();
      const status = await agentStatus(flags, deps);
      deps.print(flags.json ? `${JSON.stringify(status, null, 2)}\n` : statusLines(status, deps.clock.now()));
      onExitCode(status.running ? 0 : NOT_RUNNING);
    });
}

export async function agentStatus(
  flags: { readonly data?: string },
  deps: Pick<InstallDeps, 'tools' | 'script'>,
): Promise<Status> {
  const found = await findJob(deps, flags);
  const data = flags.data ?? found?.data ?? defaultData();
  const loaded = (await found?.place.launchd?.state()) ?? null;
  const read = readFolder(data);
  const pid = read.unreadable === null ? read.pid : (loaded?.pid ?? null);
  const job = found?.place.launchd
    ? {
        domain: found.place.launchd.domain,
        loaded: loaded !== null,
        runs: loaded?.runs ?? null,
        last_exit: loaded === null ? null : exitInWords(loaded.lastExit),
      }
    : null;
  return {
    running: pid !== null,
    pid,
    job,
    agent: read.agent,
    publisher_keys: publisherKeys,
    unreadable: read.unreadable,
  };
}

function readFolder(data: string): Pick<Status, 'pid' | 'agent' | 'unreadable'> {
  try {
    return asOwner(data, () => ({ pid: lockHolder(data), agent: readAgentState(data), unreadable: null }));
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM')) throw error;
    return {
      pid: null,
      agent: null,
      unreadable: `${data} belongs to another user; run this with sudo to see more`,
    };
  }
}

const CODES: Readonly<Record<number, string>> = {
  0: 'stopped on request',
  [EXIT.usage]: 'wrong options in the property list',
  [EXIT.unreachable]: 'a file or address could not be reached',
  [EXIT.software]: 'an error of the agent',
  [EXIT.tryLater]: 'another agent uses its data folder',
  [EXIT.refused]: 'not enrolled',
  [EXIT.config]: 'invalid configuration, or the program or a folder is missing',
  126: 'the program cannot be run',
  127: 'the program is missing',
};

/** @example exitInWords({ code: 77 }) // '77 (not enrolled)' */
export function exitInWords(exit: JobState['lastExit']): string | null {
  if (exit === null) return null;
  if ('signal' in exit) return `killed by signal ${exit.signal}`;
  return `${exit.code}${CODES[exit.code] === undefined ? '' : ` (${CODES[exit.code]})`}`;
}

const time = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace(/\..*/, ' UTC');

export function statusLines(
  { running, pid, job, agent, publisher_keys: keys, unreadable }: Status,
  now: number,
): string {
  const lines = [running ? `running (process ${pid})` : 'not running'];
  const row = (name: string, text: string) => lines.push(`${`${name}:`.padEnd(12)}${text}`);
  if (running && agent !== null && agent.pid === pid) {
    row('version', `${agent.version}, started ${time(agent.started_at)}`);
    row('host', `${agent.name} (${agent.host_id})`);
    row('service', `${agent.service}, ${linkInWords(agent.link, now)}`);
    row('work', `Macs: ${agent.macs}, builds: ${agent.builds}`);
  }
  if (job === null) row('launchd', 'not installed as a job');
  else if (!job.loaded) row('launchd', `not loaded in ${job.domain}; start it with: cidermill host-agent start`);
  else {
    const exit = job.last_exit === null ? '' : `, last exit: ${job.last_exit}`;
    row('launchd', `${job.domain}, starts: ${job.runs ?? 'unknown'}${exit}`);
  }
  if (keys.length > 0) row('public key', keys.join(' '));
  if (!running && job?.loaded) lines.push('See why: cidermill host-agent logs, and logs --crash');
  if (unreadable !== null) lines.push(unreadable);
  return `${lines.join('\n')}\n`;
}

function linkInWords({ state, since, reason }: AgentState['link'], now: number): string {
  const at = `since ${time(since)}`;
  switch (state) {
    case 'up':
      return `connected ${at}`;
    case 'refused':
      return `which no longer knows this host (${at}): enroll it again, with --replace`;
    case 'mismatch':
      return `which speaks no common version of the protocol (${at}): upgrade the older side`;
    case 'stopped':
      return 'not connected';
    default:
      return `not connected for ${Math.round((now - since) / 1000)} s${reason === null ? '' : `: ${reason}`}`;
  }
}
