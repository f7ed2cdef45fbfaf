// The agent's job in launchd, over launchctl.
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { InstallError, TRY_LATER } from './install-error.js';
import { JOB_LABEL } from './paths.js';
import type { RunTool, ToolResult } from './system-tools.js';

/** The system, or the session of a user at the screen. */
export type Domain = 'system' | `gui/${number}`;

export interface JobState {
  readonly pid: number | null;
  /** How often it was started since it was loaded. */
  readonly runs: number | null;
  /** How it ended last: an exit code or the number of a signal; null: never, or unknown. */
  readonly lastExit: { readonly code: number } | { readonly signal: string } | null;
  /** The property list that it was loaded from. */
  readonly file: string | null;
}

export interface Launchd {
  readonly domain: Domain;
  /** Returns null when the job is not loaded. */
  state(): Promise<JobState | null>;
  /** Loads the job, which starts it. Allows it first, in case somebody has disabled it. */
  load(plist: string): Promise<void>;
  /** Ends the job, also one of another label, and waits until launchd no longer knows it. False: it was not loaded. */
  unload(label?: string): Promise<boolean>;
  /** Ends the job's process and starts it again. */
  restart(): Promise<void>;
}

const LAUNCHCTL = '/bin/launchctl';
const POLL_MS = 250;
/** The agent has 30 s to end (ExitTimeOut). */
const GONE_WITHIN_MS = 60_000;
const NOT_FOUND = 113;
const NO_SUCH_PROCESS = 3;

export function openLaunchd(deps: { run: RunTool; domain: Domain; clock: Clock }): Launchd {
  const { run, domain, clock } = deps;
  const launchctl = (...args: string[]) => run(LAUNCHCTL, args);
  const target = `${domain}/${JOB_LABEL}`;

  const state = async (label = JOB_LABEL) => {
    const answer = await launchctl('print', `${domain}/${label}`);
    if (answer.code === 0) return parseJob(answer.stdout);
    if (answer.code === NOT_FOUND || /could not find/i.test(answer.stderr)) return null;
    throw refusal('print', answer, domain);
  };

  /** Calls until launchd has finished what it is doing with the job. */
  const untilFree = async (call: () => Promise<ToolResult>): Promise<ToolResult> => {
    const end = clock.monotonic() + GONE_WITHIN_MS;
    for (;;) {
      const answer = await call();
      // "Operation already in progress"
      if (answer.code !== 37 || clock.monotonic() >= end) return answer;
      await pause(clock, POLL_MS);
    }
  };

  return {
    domain,
    state: () => state(),
    async load(plist) {
      await launchctl('enable', target);
      const answer = await untilFree(() => launchctl('bootstrap', domain, plist));
      if (answer.code === 0 || (await isLoadedFrom(state, plist))) return;
      throw refusal('bootstrap', answer, domain);
    },
    async unload(label = JOB_LABEL) {
      const answer = await launchctl('bootout', `${domain}/${label}`);
      if (answer.code === NO_SUCH_PROCESS || answer.code === NOT_FOUND) return false;
      // "Operation now in progress": the job is ending.
      if (answer.code !== 0 && answer.code !== 36 && answer.code !== 37) throw refusal('bootout', answer, domain);
      const end = clock.monotonic() + GONE_WITHIN_MS;
      while ((await state(label)) !== null) {
        if (clock.monotonic() >= end) {
          throw new InstallError(
            `launchd has not stopped ${label} within ${GONE_WITHIN_MS / 1000} s; run the command again`,
          );
        }
        await pause(clock, POLL_MS);
      }
      return true;
    },
    async restart() {
      const answer = await launchctl('kickstart', '-k', target);
      if (answer.code !== 0) throw refusal('kickstart', answer, domain);
    },
  };
}

/** Somebody else may have loaded it between two calls. */
async function isLoadedFrom(state: () => Promise<JobState | null>, plist: string): Promise<boolean> {
  return (await state())?.file === plist;
}

function parseJob(text: string): JobState {
  const value = (key: string) => new RegExp(`^\\t${key} = (.+)$`, 'm').exec(text)?.[1];
  const number = (found: string | undefined) =>
    found !== undefined && /^\d+/.test(found) ? Number.parseInt(found, 10) : null;
  const code = number(value('last exit code'));
  const signal = value('last terminating signal');
  return {
    pid: number(value('pid')),
    runs: number(value('runs')),
    lastExit: signal !== undefined ? { signal } : code === null ? null : { code },
    file: value('path') ?? null,
  };
}

/** What launchctl's exit codes mean here, and what to do. */
const ADVICE: Readonly<Record<number, string>> = {
  1: 'Run the command with sudo.',
  5:
    'The job is loaded already, or its property list is not valid, or not owned by root with mode 644. ' +
    'Check it with: plutil -lint FILE; ls -l FILE',
  37: 'launchd is still ending the job. Wait a moment and run the command again.',
  113: 'The job is not loaded. Run: sudo cidermill host-agent start',
  122: 'The property list must be owned by root (a LaunchAgent: by its user), and nobody else may write to it.',
  124: 'launchd does not answer. Restart this machine.',
  125:
    'Nobody is logged in at the screen, so there is no session for the agent. Log in (or turn on automatic login) and run ' +
    'the command again; the agent starts at every login.',
  150: 'System Integrity Protection does not allow it.',
};

function refusal(command: string, { code, stdout, stderr }: ToolResult, domain: Domain): InstallError {
  const said = (stderr.trim() || stdout.trim()).split('\n')[0] ?? '';
  const advice = ADVICE[code];
  const message = `launchctl ${command} (${domain}) failed with ${code}: ${said}${advice === undefined ? '' : `\n${advice}`}`;
  // Nobody is logged in, launchd is still busy: a later run of the command succeeds.
  return code === 125 || code === 37 ? new InstallError(message, TRY_LATER) : new InstallError(message);
}
