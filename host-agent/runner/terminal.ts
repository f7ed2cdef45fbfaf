// Runs a script on a pty, from the start of its wrapper to its end mark.
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { spawn } from 'node-pty';
import type { Clock } from '../../shared/clock.js';
import { isErrno } from '../../shared/errno.js';
import type { BuildScript } from '../driver/build-mac.js';
import type { BuildSession } from '../driver/driver.js';
import type { Launch } from '../driver/local.js';
import { createEndMarkScanner, newMark } from './end-mark.js';
import { makeSpawnHelperExecutable } from './spawn-helper.js';
import { endTerminalInput, type TerminalInput } from './terminal-input.js';

// A pty returns at most 4095 bytes per read, and Node reads once per event loop turn into new memory. After a large
// read more is likely to wait, and is read directly; all of it is passed on at once.
const FLOOD_BYTES = 2048;
const LARGEST_READ = 4096;
const FLOOD_ROOM = 64 * LARGEST_READ;

export interface Terminal extends Pick<BuildScript, 'begin' | 'begun' | 'ended'> {
  /** Returns the sessions of the build; `script` is null until the script has started. */
  session(): BuildSession;
  /** Lets the wrapper exit. Resolves when the pty is closed. No more output is read. */
  release(): Promise<void>;
}

/** The wrapper's shell could not be started, or exited before the script started. */
export class WrapperNotStarted extends Error {
  override name = 'WrapperNotStarted';
  /** @param printed what its shell printed */
  constructor(printed: string) {
    super(printed === '' ? 'the shell that starts the script ended before the script began' : printed);
  }
}

/**
 * Starts the wrapper on a new pty, the controlling terminal of a new session; the script gets another session without
 * it. The wrapper waits for the start token, so it can be started before the script may run.
 *
 * The pty is never paused: output is written synchronously, and if that is slow, the build blocks in the kernel.
 *
 * @param onOutput receives the script's output; the memory is valid only during the call
 */
export function openTerminal(
  launch: Launch,
  options: {
    columns: number;
    rows: number;
    onOutput: (bytes: Buffer) => void;
    /** Ends waiting for keys (terminal-input.ts); default: nobody does. */
    input?: { clock: Clock; quietMs: number; onEnded: () => void };
  },
): Terminal {
  makeSpawnHelperExecutable();
  const mark = newMark();
  const scanner = createEndMarkScanner(mark, options.onOutput);
  const pty = spawn(launch.file, launch.args, {
    name: 'xterm-256color',
    cols: options.columns,
    rows: options.rows,
    cwd: launch.cwd,
    env: launch.env,
    encoding: null,
  });
  // While this end is also open, output that a killed wrapper left in the terminal can still be read.
  const { ptsName: terminal, fd } = insides(pty);
  let hold: number | null = openSync(terminal, constants.O_RDWR | constants.O_NOCTTY);
  const closeHold = () => {
    if (hold !== null) closeSync(hold);
    hold = null;
  };

  let input: TerminalInput | null = null;
  let onBegun: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  let gone = false;
  /** The script has ended, or the terminal is released. */
  let over = false;
  const closed = new Promise<void>((resolve) =>
    pty.onExit(() => {
      gone = true;
      resolve();
    }),
  );
  // After the exit the file descriptor may be reused.
  const send = (text: string) => {
    if (!gone) pty.write(text);
  };
  const ended: Terminal['ended'] = new Promise((resolve, reject) => {
    pty.onData((data) => {
      const bytes = asBytes(data);
      input?.heard();
      scanner.scan(bytes.length >= FLOOD_BYTES ? withWaiting(bytes, fd) : bytes);
      if (scanner.begun()) onBegun();
      const exitCode = scanner.exitCode();
      if (exitCode === null) return;
      over = true;
      input?.stop();
      resolve({ exitCode, complete: true, left: null });
    });
    pty.onExit(({ exitCode, signal }) => {
      input?.stop();
      closeHold();
      onBegun();
      scanner.flush();
      if (!scanner.begun()) reject(new WrapperNotStarted(scanner.preamble().slice(-300)));
      resolve({ exitCode: signal ? 128 + signal : exitCode, complete: false, left: null });
    });
  });

  return {
    session: () => ({ leader: pty.pid, terminal, script: scanner.pid() }),
    begun,
    ended,
    begin() {
      send(`${mark} ${terminal}\n`);
      // Before, the wrapper itself waits at the terminal.
      void begun.then(() => {
        if (options.input && hold !== null && !over)
          input = endTerminalInput({ ...options.input, terminal: hold, send });
      });
    },
    release() {
      over = true;
      input?.stop();
      closeHold();
      send('\n');
      return closed;
    },
  };
}

let flood: Buffer | null = null;

/** Returns bytes of the terminal with those that are already available after them; valid until the next call. */
function withWaiting(bytes: Buffer, fd: number): Buffer {
  flood ??= Buffer.allocUnsafeSlow(FLOOD_ROOM);
  if (bytes.length > FLOOD_ROOM) return bytes;
  let filled = bytes.copy(flood);
  while (filled + LARGEST_READ <= FLOOD_ROOM) {
    const length = readWaiting(fd, flood, filled);
    if (length === 0) break;
    filled += length;
  }
  return flood.subarray(0, filled);
}

/** Returns 0 when nothing is available, or the other end is closed, which Node detects itself. */
function readWaiting(fd: number, into: Buffer, at: number): number {
  try {
    return readSync(fd, into, at, into.length - at, null);
  } catch (error) {
    if (isErrno(error, 'EAGAIN', 'EIO')) return 0;
    throw error;
  }
}

// The types say string; with `encoding: null` data is bytes.
function asBytes(data: unknown): Buffer {
  if (!Buffer.isBuffer(data)) throw new TypeError('pty output is not bytes');
  return data;
}

/** Returns fields that ptys have on Unix. node-pty's types, which include Windows, lack them. */
function insides(pty: object): { ptsName: string; fd: number } {
  if (!('ptsName' in pty) || typeof pty.ptsName !== 'string') throw new TypeError('pty has no name');
  if (!('fd' in pty) || typeof pty.fd !== 'number') throw new TypeError('pty has no file descriptor');
  return { ptsName: pty.ptsName, fd: pty.fd };
}
