// Runs one of the agent's commands as the account of the agent. Root never writes into the data folder, where builds could
// have put links to other files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Account } from '../../installation/account.js';
import { AGENT_PATH } from '../../installation/job.js';
import { toolsRoot } from '../../installation/system-tools.js';

export interface ChildCommand {
  readonly account: Account;
  /** Arguments after `cidermill host-agent`. */
  readonly args: readonly string[];
  /** For standard input: a token is in no argument. */
  readonly input?: string;
  /** In the account's session at the screen, with its keychain. */
  readonly inSession?: boolean;
}

/** Its messages on standard error are shown to the person. */
export type RunCommand = (command: ChildCommand) => Promise<{ readonly code: number; readonly stdout: string }>;

export const runCommandAs: RunCommand = async ({ account, args, input = '', inSession = false }) => {
  const [, script = '', word] = process.argv;
  const command = [process.execPath, script, ...(word === 'host-agent' ? [word] : []), ...args];
  const root = process.geteuid?.() === 0;
  const session = [
    `${toolsRoot()}/bin/launchctl`,
    'asuser',
    String(account.uid),
    '/usr/bin/sudo',
    '-u',
    account.name,
    '-H',
    '--',
    // sudo may replace it.
    '/usr/bin/env',
    `PATH=${AGENT_PATH}`,
  ];
  const [file = '', ...rest] = inSession && root ? [...session, ...command] : command;
  const { CIDERMILL_TOOLS_DIR } = process.env;
  const child = spawn(file, rest, {
    cwd: '/',
    // What the agent itself will have, so that what works here works there.
    env: {
      HOME: account.home,
      USER: account.name,
      LOGNAME: account.name,
      PATH: AGENT_PATH,
      CIDERMILL_TOOLS_DIR,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(root && !inSession ? { uid: account.uid, gid: account.gid } : {}),
  });
  // A command that reads no input closes it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  return { code: code ?? 1, stdout };
};
