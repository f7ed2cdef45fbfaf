// A check of the doctor: what it looks at, and what it found.

import { cleanText } from '../../shared/clean-text.js';
import type { Clock } from '../../shared/clock.js';
import { findingFixes } from '../../shared/messages/finding-fixes.js';
import { finding, findings } from '../../shared/messages/findings.js';
import { type Message, uncoded, withTexts } from '../../shared/messages/message.js';
import type { AgentConfig } from '../daemon/agent-config.js';
import type { MacDriver } from '../driver/driver.js';
import type { VmTool } from '../driver/vm/tool.js';
import type { RunTool } from '../installation/system-tools.js';
import type { Network } from '../system/network.js';
import type { ServiceAnswer } from './ask-service.js';
import type { Connected } from './connect.js';

/** warning: Macs run, but something should be changed. failed: Macs cannot run, or the host will soon stop working. */
export type Status = 'ok' | 'warning' | 'failed' | 'not_applicable';

/** A command of macOS. @example { argv: ['/usr/bin/pmset', '-a', 'sleep', '0'], as: 'root' } */
export interface Command {
  readonly argv: readonly [file: string, ...args: string[]];
  readonly as: 'root' | 'user';
}

export interface Outcome {
  readonly status: Status;
  /** One line. */
  readonly found: string;
  /** What to do: a command to copy, or a sentence. Null when nothing is wrong. */
  readonly fix: string | null;
  /** Both as messages. Without a code: what a tool says, and commands. */
  readonly messages: { readonly found: Message; readonly fix: Message | null };
  /** What `--fix` runs: commands that can be undone and touch no account, virtual machine or data. */
  readonly repairs: readonly Command[];
}

/** The host that is checked. */
export interface CheckedHost {
  readonly config: AgentConfig;
  readonly dataDir: string;
  readonly enrolled: boolean;
  readonly isMac: boolean;
  /** The user of this process. */
  readonly user: { readonly uid: number; readonly name: string; readonly home: string };
  readonly driver: Pick<MacDriver, 'kind' | 'inventory'>;
  /** What runs virtual machines; null with the local driver. */
  readonly tool: Pick<VmTool, 'kind' | 'version' | 'list' | 'images' | 'address'> | null;
  /** With less free space the host takes no builds. */
  readonly reserveBytes: number;
  /** Runs a tool of macOS; checks that need the same output share one call. */
  readonly run: RunTool;
  /** Returns the path of a file of the system. */
  file(path: string): string;
  /** Opens a connection and closes it again. */
  connect(host: string, port: number): Promise<Connected>;
  /** GET from the service with this host's network settings; checks that ask for the same path share one request. */
  ask(path: string): Promise<ServiceAnswer>;
  readonly network: Network;
  /** Most open files of this process; null: unknown. */
  openFiles(): Promise<number | null>;
  /** Whether this is the daemon, which knows why Macs cannot be created. */
  readonly isDaemon: boolean;
  readonly version: string;
  readonly clock: Clock;
}

export interface Check {
  /** A code: the name for `--check` and in reports to the control plane. */
  readonly check: string;
  /** What people read; default: the code with spaces. */
  readonly name?: (host: CheckedHost) => string;
  readonly needs: 'macos' | 'any';
  readonly drivers: 'all' | 'vm' | 'local';
  /** Why it matters, for docs/doctor.md. */
  readonly why: string;
  /** What helps, for docs/doctor.md. */
  readonly help: string;
  look(host: CheckedHost): Promise<Outcome>;
}

/** The output of a tool is not as expected. Becomes a warning: another version of macOS may print something else. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
  readonly found: Message;
  constructor(what: string, output: string) {
    const shown = cleanText(output, 120);
    const found = shown === '' ? finding('no_output', { what }) : finding('unreadable', { what, output: shown });
    super(found.text);
    this.found = found;
  }
}

export const MOST_FOUND = 300;
export const MOST_FIX = 600;

/** A message, or the words of a tool. */
type Found = Message | string;
type Fix = Message | readonly Command[];

const isCommands = (fix: Fix): fix is readonly Command[] => Array.isArray(fix);

function outcome(status: Status, found: Found, fix: Fix | null): Outcome {
  const repairs = fix !== null && isCommands(fix) ? fix : [];
  const text = fix !== null && isCommands(fix) ? uncoded(fix.map(commandText).join(' && ')) : fix;
  const messages = {
    found: withTexts(findings, typeof found === 'string' ? uncoded(found) : found, (part) =>
      cleanText(part, MOST_FOUND),
    ),
    fix: text && withTexts(findingFixes, text, (part) => cleanText(part, MOST_FIX)),
  };
  return { status, found: messages.found.text, fix: messages.fix?.text ?? null, messages, repairs };
}

export const ok = (found: Found): Outcome => outcome('ok', found, null);
export const notApplicable = (found: string): Outcome => outcome('not_applicable', found, null);
/** @param fix a message; or the commands that help, which `--fix` then runs */
export const warning = (found: Found, fix: Fix): Outcome => outcome('warning', found, fix);
/** @param fix as for `warning` */
export const failed = (found: Found, fix: Fix): Outcome => outcome('failed', found, fix);

export const asRoot = (...argv: Command['argv']): Command => ({ argv, as: 'root' });
export const asUser = (...argv: Command['argv']): Command => ({ argv, as: 'user' });

/** @example commandText(asRoot('/usr/bin/pmset', '-a', 'sleep', '0')) // 'sudo pmset -a sleep 0' */
export function commandText({ argv: [file, ...args], as }: Command): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return [...(as === 'root' ? ['sudo'] : []), name, ...args.map(quoted)].join(' ');
}

const quoted = (word: string) => (/^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
