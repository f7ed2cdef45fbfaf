// `cidermill host-agent logs`: the agent's log, across its rotated files.
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { visibleText } from '../../shared/clean-text.js';
import type { Clock } from '../../shared/clock.js';
import { readJson } from '../../shared/durable-file.js';
import { pause } from '../../shared/pause.js';
import { configPath } from '../daemon/config.js';
import { becomeOwner } from '../installation/as-user.js';
import { InstallError } from '../installation/install-error.js';
import { thisMachine } from './install/machine.js';
import { findJob } from './installed-job.js';
import { defaultData, optionalDataOption } from './options.js';

interface LogsFlags {
  data?: string;
  lines: string;
  follow?: true;
  crash?: true;
  json?: true;
}

const POLL_MS = 250;
const PIECE_BYTES = 256 * 1024;

export function logsCommand(): Command {
  return new Command('logs')
    .exitOverride()
    .description("show the agent's log")
    .addOption(optionalDataOption())
    .option('--lines <n>', 'number of last lines', '50')
    .option('--follow', 'show new lines until interrupted')
    .option('--crash', 'show the output that the agent wrote outside its log, for example before a crash')
    .option('--json', 'lines as they are in the file')
    .action(async (flags: LogsFlags) => {
      const { clock, print, script, tools } = thisMachine();
      if (!/^\d{1,6}$/.test(flags.lines)) {
        throw new InstallError(`--lines must be a number of lines (got ${flags.lines})`);
      }
      const data = resolve(flags.data ?? (await findJob({ tools, script }, {}))?.data ?? defaultData());
      // Root reads nothing there that the agent's account could not: it could have put links there.
      becomeOwner(data);
      const file = flags.crash ? join(data, 'launchd.err.log') : logFile(data);
      const show = (line: string) => print(`${flags.json ? line : visibleText(readable(line))}\n`);
      const position = showLast(file, Number(flags.lines), show);
      if (!flags.follow) return;
      const interrupted = new AbortController();
      process.once('SIGINT', () => interrupted.abort());
      await follow(file, position, { show, clock, signal: interrupted.signal });
    });
}

/** Returns the log file that agent.json names; that of the installation if it names none. */
function logFile(data: string): string {
  const config = readJson(configPath(data)) as { log_file?: unknown } | undefined;
  return typeof config?.log_file === 'string' ? config.log_file : join(data, 'agent.log');
}

/** A place in a file that may be rotated. */
interface Position {
  readonly inode: number;
  readonly offset: number;
}

/** Shows the last `count` lines of the file and its rotated predecessors; returns the end of the file. */
export function showLast(file: string, count: number, show: (line: string) => void): Position {
  const files = [file, ...rotated(file)];
  if (!existsSync(file) && files.length === 1) {
    throw new InstallError(
      `there is no ${file}; by default an agent that was not installed writes its log to standard error`,
    );
  }
  let lines: string[] = [];
  let end: Position = { inode: 0, offset: 0 };
  for (const one of files) {
    if ((one !== file && lines.length >= count) || !existsSync(one)) continue;
    const { text, inode } = read(one);
    if (one === file) end = { inode, offset: text.lastIndexOf('\n') + 1 };
    const complete = text.toString('utf8').split('\n').slice(0, -1);
    lines = [...complete.slice(Math.max(0, complete.length - (count - lines.length))), ...lines];
  }
  for (const line of lines) show(line);
  return end;
}

/** Returns `file.1` (the newest), `file.2`, … */
function rotated(file: string): string[] {
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).flatMap((name) => {
    const number = name.startsWith(`${basename(file)}.`) ? name.slice(basename(file).length + 1) : '';
    return /^\d+$/.test(number) ? [Number(number)] : [];
  });
  return numbers.sort((a, b) => a - b).map((number) => `${file}.${number}`);
}

function read(file: string): { text: Buffer; inode: number } {
  const fd = openSync(file, 'r');
  try {
    const { ino, size } = fstatSync(fd);
    const text = Buffer.alloc(size);
    let at = 0;
    for (let n = -1; n !== 0 && at < size; at += n) n = readSync(fd, text, at, size - at, at);
    return { text: text.subarray(0, at), inode: ino };
  } finally {
    closeSync(fd);
  }
}

/** Shows new lines until `signal` is aborted. A file that was rotated is read to its end before the new one. */
export async function follow(
  file: string,
  from: Position,
  { show, clock, signal }: { show: (line: string) => void; clock: Clock; signal: AbortSignal },
): Promise<void> {
  let at = from;
  while (!signal.aborted) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found && found.ino !== at.inode) {
      const before = rotated(file).find((one) => statSync(one, { throwIfNoEntry: false })?.ino === at.inode);
      if (before !== undefined) showFrom(before, at.offset, show);
      at = { inode: found.ino, offset: 0 };
    }
    if (found && found.size < at.offset) at = { ...at, offset: 0 };
    if (found && found.size > at.offset) at = { ...at, offset: showFrom(file, at.offset, show) };
    // Rejects when aborted, which ends the loop.
    await pause(clock, POLL_MS, signal).catch(() => {});
  }
}

/** Shows the complete lines from `offset` on; returns where the last one ends. */
function showFrom(file: string, offset: number, show: (line: string) => void): number {
  const fd = openSync(file, 'r');
  const piece = Buffer.alloc(PIECE_BYTES);
  let at = offset;
  let open = Buffer.alloc(0);
  try {
    for (;;) {
      const n = readSync(fd, piece, 0, piece.length, at + open.length);
      if (n === 0) return at;
      const text = Buffer.concat([open, piece.subarray(0, n)]);
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0)
        for (const line of text
          .subarray(0, end - 1)
          .toString('utf8')
          .split('\n'))
          show(line);
      open = text.subarray(end);
      at += end;
    }
  } finally {
    closeSync(fd);
  }
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
};
const OWN_FIELDS = ['level', 'time', 'pid', 'hostname', 'name', 'msg'];

/** @example readable('{"level":30,"time":0,"msg":"link is up"}') // '1970-01-01T00:00:00.000Z info  link is up' */
export function readable(line: string): string {
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(line) as Record<string, unknown>;
  } catch {
    // Written by something else.
    return line;
  }
  if (typeof json !== 'object' || json === null || typeof json.time !== 'number') return line;
  const rest = Object.entries(json).filter(([key]) => !OWN_FIELDS.includes(key));
  const more = rest.map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const level = (LEVELS[Number(json.level)] ?? String(json.level)).padEnd(5);
  return `${new Date(json.time).toISOString()} ${level} ${String(json.msg ?? '')}${more.join('')}`;
}
