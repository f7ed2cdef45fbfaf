// `cidermill host-agent start|stop|restart`: the agent's job in launchd.
import { Command } from 'commander';
import { pause } from '../../shared/pause.js';
import { InstallError } from '../installation/install-error.js';
import { type InstallDeps, thisMachine } from './install/machine.js';
import { requireJob } from './installed-job.js';
import { optionalDataOption } from './options.js';
import { agentStatus, type Status, statusLines } from './status.js';

interface ServiceFlags {
  data?: string;
}

/** A new process starts within this time, and is usually connected. */
const STARTED_WITHIN_MS = 30_000;
const POLL_MS = 250;

export function serviceCommands(): Command[] {
  const words = {
    start: 'start the agent, now and whenever the machine starts',
    stop: 'stop the agent until it is started again or the machine restarts; running builds go on',
    restart: 'restart the agent; running builds go on',
  } as const;
  return (Object.keys(words) as (keyof typeof words)[]).map((word) =>
    new Command(word)
      .exitOverride()
      .description(words[word])
      .addOption(optionalDataOption())
      .action(async (flags: ServiceFlags) => {
        await serviceActions[word](flags, thisMachine());
      }),
  );
}

type Action = (flags: ServiceFlags, deps: InstallDeps) => Promise<void>;

const start: Action = async (flags, deps) => {
  const { launchd, place } = await requireJob(deps, flags);
  requireRights(launchd.domain);
  if ((await launchd.state()) !== null) deps.print('The job is loaded already.\n');
  else await launchd.load(place.plist);
  await sayStatus(flags, deps, null);
};

const stop: Action = async (flags, deps) => {
  const { launchd } = await requireJob(deps, flags);
  requireRights(launchd.domain);
  const before = await agentStatus(flags, deps);
  const stopped = await launchd.unload();
  const builds = before.agent?.builds ?? 0;
  deps.print(
    stopped
      ? `Stopped until \`cidermill host-agent start\`, or until this machine restarts.${builds > 0 ? ` Results of builds that go on (${builds}) are sent after the next start.` : ''}\n`
      : 'The agent was not running.\n',
  );
};

const restart: Action = async (flags, deps) => {
  const { launchd, place } = await requireJob(deps, flags);
  requireRights(launchd.domain);
  const before = await agentStatus(flags, deps);
  if ((await launchd.state()) === null) await launchd.load(place.plist);
  else await launchd.restart();
  await sayStatus(flags, deps, before.agent?.started_at ?? null);
};

export const serviceActions = { start, stop, restart } as const;

/** The job of a session belongs to its user; that of the system to root. */
function requireRights(domain: string): void {
  const uid = process.geteuid?.();
  if (uid === 0 || domain === `gui/${uid}`) return;
  throw new InstallError(`the job in ${domain} belongs to another user; run this with sudo`);
}

/**
 * Prints the status once an agent has said whether it is connected, or after a time.
 *
 * @param before start time of the agent that has been told to end; null: none was told
 */
async function sayStatus(flags: ServiceFlags, deps: InstallDeps, before: number | null): Promise<void> {
  const { clock, print } = deps;
  const end = clock.monotonic() + STARTED_WITHIN_MS;
  const isSettled = ({ running, pid, agent }: Status) =>
    running &&
    agent?.pid === pid &&
    agent.started_at !== before &&
    ['up', 'refused', 'mismatch'].includes(agent.link.state);
  let status = await agentStatus(flags, deps);
  while (!isSettled(status) && clock.monotonic() < end) {
    await pause(clock, POLL_MS);
    status = await agentStatus(flags, deps);
  }
  print(statusLines(status, clock.now()));
}
