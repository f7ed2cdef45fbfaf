// The launchd job of the host agent.
import { join } from 'node:path';
import { JOB_LABEL } from './paths.js';
import { type PlistEntry, propertyList } from './property-list.js';

/**
 * Where the agent runs. daemon: in the system's own session, as a user who need not be logged in. login: in the session
 * of the user who is logged in at the screen, with the login keychain.
 */
export type Session = 'daemon' | 'login';

export interface JobSettings {
  readonly session: Session;
  /** The program with its first arguments: absolute paths. */
  readonly program: readonly string[];
  readonly user: string;
  readonly home: string;
  /** Data folder of the agent. */
  readonly data: string;
}

/** Where tools are found: launchd starts jobs with a shorter PATH, without Homebrew. */
export const AGENT_PATH = '/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
/** Without core dumps: one of the agent or of a build would hold its credential or secrets. */
const RESOURCES = { Core: 0, NumberOfFiles: 65536 };

/**
 * Returns the property list of the agent's job. It holds no secret: the credential is in the data folder.
 *
 * @throws RangeError for a path that a property list cannot hold
 */
export function jobPlist(settings: JobSettings): string {
  const comment = `launchd job of the Cidermill host agent, written by: cidermill host-agent install (session: ${settings.session})`;
  return propertyList(comment, jobEntries(settings));
}

export function jobEntries({ session, program, user, home, data }: JobSettings): PlistEntry[] {
  const daemon: PlistEntry[] = [
    {
      key: 'UserName',
      value: user,
      comment: 'Without a user the agent, and local builds, would run as root.',
    },
    { key: 'SessionCreate', value: true, comment: 'A security session of its own, for keychains.' },
  ];
  const login: PlistEntry[] = [
    {
      key: 'LimitLoadToSessionType',
      value: 'Aqua',
      comment: 'Only in the session at the screen, where the login keychain is unlocked.',
    },
  ];
  return [
    { key: 'Label', value: JOB_LABEL },
    {
      key: 'ProgramArguments',
      value: [...program, 'host-agent', 'run', '--data', data],
      comment: 'Never a token or a credential: every user can read this file and the list of processes.',
    },
    ...(session === 'daemon' ? daemon : login),
    {
      key: 'EnvironmentVariables',
      value: { HOME: home, PATH: AGENT_PATH },
      comment: 'launchd sets neither HOME for daemons nor a PATH with Homebrew.',
    },
    { key: 'WorkingDirectory', value: data },
    {
      key: 'Umask',
      value: 0o077,
      comment: 'Decimal for 077: other users cannot read the files of the agent.',
    },
    { key: 'RunAtLoad', value: true },
    {
      key: 'KeepAlive',
      value: true,
      comment: 'Started again whenever it ends, at most once every ThrottleInterval seconds.',
    },
    { key: 'ThrottleInterval', value: 10 },
    { key: 'ExitTimeOut', value: 30, comment: 'Seconds between SIGTERM and SIGKILL.' },
    {
      key: 'AbandonProcessGroup',
      value: true,
      comment: 'Builds and virtual machines go on while the agent is stopped, upgraded or killed.',
    },
    {
      key: 'ProcessType',
      value: 'Interactive',
      comment: 'The default type throttles CPU and disk, also for builds.',
    },
    { key: 'SoftResourceLimits', value: RESOURCES, comment: 'The default limit is 256 open files.' },
    { key: 'HardResourceLimits', value: RESOURCES },
    {
      key: 'StandardOutPath',
      value: join(data, 'launchd.out.log'),
      comment: 'Only for crashes: the log is agent.log, which the agent rotates itself.',
    },
    { key: 'StandardErrorPath', value: join(data, 'launchd.err.log') },
  ];
}
