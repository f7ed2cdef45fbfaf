// Commands of macOS in a guest, as changes of its software use them.
import { type Clock, systemClock, type Timer } from '../../../shared/clock.js';
import { defaultSoftwareLimits, type SoftwareLimits } from '../../limits.js';
import { runInGuest } from '../run.js';
import { GuestError, type GuestTransport } from '../transport.js';

export interface SoftwareOptions {
  signal?: AbortSignal | undefined;
  clock?: Clock;
  limits?: SoftwareLimits;
}

export interface CommandOptions {
  env?: Readonly<Record<string, string>>;
  input?: string;
  timeoutMs?: number;
  /** The command has failed when it prints nothing on standard output for this long. */
  stallMs?: number;
  /** Called with each line of standard output; a carriage return ends a line too. */
  onLine?: (line: string) => void;
}

export interface CommandResult {
  /** 128 + n for a signal n; 127 when there is no such command. */
  readonly status: number;
  /** With `onLine`, only its last lines. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface GuestShell {
  readonly transport: GuestTransport;
  readonly limits: SoftwareLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Runs a command to its end, whatever its exit status. Its name is looked up in folders of macOS and Homebrew. */
  run(argv: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /**
   * Runs a command that has to succeed.
   *
   * @param what begins the message of the error: `Xcode 26.1 cannot be selected`
   */
  must(what: string, argv: readonly string[], options?: CommandOptions): Promise<CommandResult>;
}

const ENVIRONMENT = {
  PATH: '/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin:/usr/local/bin',
  LC_ALL: 'en_US.UTF-8',
};
// A tenant may have set it for the whole session; it would hide the Xcode that xcode-select has selected.
const SELECTED_XCODE = ['/usr/bin/env', '-u', 'DEVELOPER_DIR'];

const MOST_BYTES = 4 * 1024 * 1024;

/** @example await openShell(transport, { signal }).must('sw_vers', ['sw_vers', '-productVersion']) */
export function openShell(transport: GuestTransport, options: SoftwareOptions = {}): GuestShell {
  const { signal, clock = systemClock, limits = defaultSoftwareLimits } = options;

  const run = async (argv: readonly string[], command: CommandOptions = {}): Promise<CommandResult> => {
    const { timeoutMs = limits.commandMs, env = {}, input = '', onLine } = command;
    const stall = createStall(`${argv[0]} printed nothing for`, command.stallMs, clock);
    const lines = onLine && createLines(onLine);
    try {
      const { status, stdout, stderr } = await runInGuest(transport, [...SELECTED_XCODE, ...argv], {
        timeoutMs,
        clock,
        input,
        maxBytes: MOST_BYTES,
        env: { ...ENVIRONMENT, ...env },
        signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
        ...(lines && {
          onOutput(bytes: Buffer) {
            stall.reset();
            lines.push(bytes);
          },
        }),
      });
      return { status, stdout: lines ? lines.end() : stdout.toString('utf8'), stderr };
    } finally {
      stall.end();
    }
  };

  return {
    transport,
    limits,
    clock,
    signal,
    run,
    async must(what, argv, command) {
      const result = await run(argv, command);
      if (result.status !== 0) throw new Error(`${what}: ${reasonOf(result)}`);
      return result;
    },
  };
}

function createStall(what: string, ms: number | undefined, clock: Clock) {
  const stop = new AbortController();
  let timer: Timer | null = null;
  const reset = () => {
    timer?.cancel();
    if (ms === undefined) return;
    timer = clock.setTimeout(() => stop.abort(new GuestError('stalled', `${what} ${ms / 1000} s`)), ms);
  };
  reset();
  return { signal: stop.signal, reset, end: () => timer?.cancel() };
}

const LONGEST_LINE = 4096;
const KEPT_LINES = 200;

/** Splits output into lines and keeps the last of them. */
function createLines(onLine: (line: string) => void) {
  const kept: string[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  const take = (text: string) => {
    const lines = (rest + text).split(/[\r\n]+/);
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const whole of lines) {
      const line = whole.slice(0, LONGEST_LINE);
      if (line === '') continue;
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
      onLine(line);
    }
  };
  return {
    push: (bytes: Buffer) => take(decoder.decode(bytes, { stream: true })),
    end() {
      take('\n');
      return kept.join('\n');
    },
  };
}

const LONGEST_REASON = 300;

/** Returns the last line that the command printed, and how it ended. */
export function reasonOf({ status, stdout, stderr }: CommandResult): string {
  const how = status > 128 ? `ended by signal ${status - 128}` : `exit status ${status}`;
  const line = [stderr, stdout].map(lastLine).find((text) => text !== '');
  return line === undefined ? how : `${line} (${how})`;
}

const lastLine = (text: string) =>
  (
    text
      .trimEnd()
      .split(/[\r\n]+/)
      .at(-1) ?? ''
  )
    .replace(/\p{C}/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);
