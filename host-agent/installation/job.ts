// The launchd job of the host agent.
import { join } from 'node:path';
import { JOB_LABEL } from './paths.js';

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
/**
 * Returns the property list of the agent's job. It holds no secret: the credential is in the data folder.
 *
 * @throws RangeError for a path that a property list cannot hold
 */
export function jobPlist({ session, program, user, home, data }: JobSettings): string {
  const args = [...program, 'host-agent', 'run', '--data', data];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- launchd job of the Cidermill host agent, written by: cidermill host-agent install (session: ${session}) -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${JOB_LABEL}</string>
  <!-- Never a token or a credential: every user can read this file and the list of processes. -->
  <key>ProgramArguments</key>
  <array>
${args.map((arg) => `    <string>${escaped(arg)}</string>`).join('\n')}
  </array>
${session === 'daemon' ? ofDaemon(user) : OF_LOGIN}
  <!-- launchd sets neither HOME for daemons nor a PATH with Homebrew. -->
  <key>EnvironmentVariables</key>
  <dict>
    <key>HOME</key>
    <string>${escaped(home)}</string>
    <key>PATH</key>
    <string>${AGENT_PATH}</string>
  </dict>
  <key>WorkingDirectory</key>
  <string>${escaped(data)}</string>
  <!-- Decimal for 077: other users cannot read the files of the agent. -->
  <key>Umask</key>
  <integer>63</integer>
  <key>RunAtLoad</key>
  <true/>
  <!-- Started again whenever it ends, at most once every ThrottleInterval seconds. -->
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <!-- Seconds between SIGTERM and SIGKILL. -->
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <!-- Builds and virtual machines go on while the agent is stopped, upgraded or killed. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <!-- The default type throttles CPU and disk, also for builds. -->
  <key>ProcessType</key>
  <string>Interactive</string>
  <!-- The default limit is 256 open files. -->
  <key>SoftResourceLimits</key>
${RESOURCES}
  <key>HardResourceLimits</key>
${RESOURCES}
  <!-- Only for crashes: the log is agent.log, which the agent rotates itself. -->
  <key>StandardOutPath</key>
  <string>${escaped(join(data, 'launchd.out.log'))}</string>
  <key>StandardErrorPath</key>
  <string>${escaped(join(data, 'launchd.err.log'))}</string>
</dict>
</plist>
`;
}

const ofDaemon = (user: string) => `  <!-- Without a user the agent, and local builds, would run as root. -->
  <key>UserName</key>
  <string>${escaped(user)}</string>
  <!-- A security session of its own, for keychains. -->
  <key>SessionCreate</key>
  <true/>`;

const OF_LOGIN = `  <!-- Only in the session at the screen, where the login keychain is unlocked. -->
  <key>LimitLoadToSessionType</key>
  <string>Aqua</string>`;

/** Without core dumps: one of the agent or of a build would hold its credential or secrets. */
const RESOURCES = `  <dict>
    <key>Core</key>
    <integer>0</integer>
    <key>NumberOfFiles</key>
    <integer>65536</integer>
  </dict>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escaped(text: string): string {
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(text)) {
    throw new RangeError(`${JSON.stringify(text)} cannot be written into a property list`);
  }
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
