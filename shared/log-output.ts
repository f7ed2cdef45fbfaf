// Where the lines of a log go. A log that cannot be written must not end, block or fill the memory of its program.
import { fstatSync, writeSync } from 'node:fs';
import { WriteStream } from 'node:tty';
import { systemClock } from './clock.js';
import { pause } from './pause.js';

/** Something that takes whole lines. `lost` is called, perhaps later, for a line that could not be written. */
export interface LogOutput {
  write(line: string, lost: (error: unknown) => void): unknown;
}

/** Lines that wait for the reader of a pipe, in bytes; beyond it they are lost. */
const LARGEST_BACKLOG = 1024 * 1024;

/** How long a process that ends waits for the readers of its output. */
const READERS_GRACE_MS = 1_000;

/** What a log has lost since it last said so. */
export interface LogLosses {
  readonly lines: number;
  /** When the first of them was lost, in ms since the epoch. */
  readonly since: number;
  readonly error: unknown;
}

/**
 * Returns an output that never throws. It counts the lines that are lost, and writes `note` before the first line that
 * can be written again.
 */
export function countLosses(output: LogOutput, now: () => number, note: (losses: LogLosses) => string) {
  let losses: LogLosses | null = null;
  const lose = (error: unknown, lines = 1, since = now()) => {
    losses = { lines: (losses?.lines ?? 0) + lines, since: losses?.since ?? since, error };
  };
  const attempt = (line: string, lost: (error: unknown) => void) => {
    try {
      output.write(line, lost);
    } catch (error) {
      lost(error);
    }
  };
  return {
    write(line: string): void {
      if (losses !== null) {
        const told: LogLosses = losses;
        losses = null;
        attempt(note(told), (error) => {
          // Lines may have been lost since.
          losses = { ...told, lines: told.lines + (losses?.lines ?? 0), error };
        });
      }
      attempt(line, lose);
    },
  };
}

/**
 * Standard error, or standard output. A file or device is written at once. A pipe, socket or terminal whose reader is
 * slow gets up to 1 MiB later, while the program continues.
 */
export function standardOutput(fd: 1 | 2): LogOutput {
  let output: LogOutput | null = null;
  return {
    write(line, lost) {
      output ??= isStream(fd) ? toStream(fd === 1 ? process.stdout : process.stderr) : toFile(fd);
      output.write(line, lost);
    },
  };
}

function isStream(fd: number): boolean {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket() || process[fd === 1 ? 'stdout' : 'stderr'] instanceof WriteStream;
}

function toStream(stream: NodeJS.WriteStream): LogOutput {
  ignoreErrors(stream);
  unblock(stream);
  return {
    write(line, lost) {
      if (stream.writableLength + line.length > LARGEST_BACKLOG) lost(new Error('its reader is too slow'));
      else stream.write(line, (error) => void (error && lost(error)));
    },
  };
}

/** Node makes terminals blocking, so a program would stand still after Ctrl-S or when an ssh connection is lost. */
function unblock(stream: NodeJS.WriteStream & { _handle?: { setBlocking?(on: boolean): void } }): void {
  if (stream instanceof WriteStream) stream._handle?.setBlocking?.(false);
}

const toFile = (fd: number): LogOutput => ({ write: wholeLines((bytes, at) => writeSync(fd, bytes, at)) });

/**
 * Returns a function that writes whole lines. A disk that fills up may take a part of a line; the next one starts on a
 * line of its own.
 *
 * @param write writes the bytes from `at`, and returns how many
 */
export function wholeLines(write: (bytes: Buffer, at: number) => number): (line: string) => void {
  let torn = false;
  return (line) => {
    const start = torn ? '\n' : '';
    const bytes = Buffer.from(start + line);
    let done = 0;
    try {
      while (done < bytes.length) done += write(bytes, done);
      torn = false;
    } catch (error) {
      if (done > 0) torn = done > start.length;
      throw error;
    }
  };
}

/** Without a listener, an output that cannot be written (its reader is gone, the disk is full) ends the process. */
export function ignoreErrors(stream: NodeJS.WriteStream): void {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

const ignore = () => undefined;

/**
 * For programs that serve: what they print beside their log must not end them either.
 *
 * @param log says so; its own losses are counted
 */
export function reportLostOutput(log: { warn(fields: object, text: string): void }): void {
  process.stdout.on('error', (err) => log.warn({ err }, 'standard output cannot be written'));
  ignoreErrors(process.stderr);
}

/** Ends the process with this code if a reader of its output that does not read would keep it alive. */
export async function finishOutput(exitCode: number): Promise<void> {
  const waiting = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  if (waiting.length === 0) return;
  const late = new AbortController();
  const written = waiting.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve())));
  await Promise.race([Promise.all(written), pause(systemClock, READERS_GRACE_MS, late.signal).catch(ignore)]);
  late.abort();
  if (waiting.some((stream) => stream.writableLength > 0)) process.exit(exitCode);
}
