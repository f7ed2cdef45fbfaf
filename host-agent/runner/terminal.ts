// A script on a pty, from the start of its wrapper to its end mark.
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { spawn } from 'node-pty';
import type { BuildSession, Launch } from '../driver/driver.js';
import { isErrno } from '../system/durable-file.js';
import { createEndMarkScanner, newMark } from './end-mark.js';
import { makeSpawnHelperExecutable } from './spawn-helper.js';

// A pty gives at most 4095 bytes a read, and Node reads once per turn of its loop and into new memory each time. When
// there is this much, more is likely to wait, and is taken without that.
const FLOOD_BYTES = 2048;
const MOST_READS = 64;

export interface ScriptEnd {
  /** 128 + n for a signal n. */
  exitCode: number;
  /** All output is known to have been read. */
  complete: boolean;
}

export interface Terminal {
  /** `script`: the session and process group of the script itself, once it has begun. */
  session(): BuildSession;
  /** Gives the wrapper its word: nothing of the script runs before. Call once. */
  begin(): void;
  /** Resolves when the wrapper starts the script; a signal that comes earlier does not reach it. Or at its end. */
  begun: Promise<void>;
  /** Resolves once: at the end mark, or when the wrapper is gone without one. Rejects if it never began. */
  ended: Promise<ScriptEnd>;
  /** Lets the wrapper end. Resolves when the pty is closed. Output is not read any more. */
  release(): Promise<void>;
  /** Ends a wrapper that is not to begin any more. Resolves when it is gone. */
  abandon(): Promise<void>;
}

/** The wrapper's shell could not be started, or died before the script began. */
export class WrapperNotStarted extends Error {
  override name = 'WrapperNotStarted';
}

/**
 * Starts the wrapper's command on a new pty, which becomes the controlling terminal of a new session, but not of the
 * script's, which is another. There the wrapper waits for its word, so that this can be done before the script may run.
 *
 * Nothing ever pauses the pty: whoever takes the output writes it out at once, and while that takes its time the
 * build waits in the kernel.
 *
 * @param onOutput gets the script's bytes; the memory is only valid during the call
 */
export function openTerminal(
  launch: Launch,
  options: { columns: number; rows: number; onOutput: (bytes: Buffer) => void },
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
  // While this end of the terminal is open too, what a killed wrapper leaves in it can still be read.
  const { ptsName: terminal, fd } = insides(pty);
  let hold: number | null = openSync(terminal, constants.O_RDWR | constants.O_NOCTTY);
  const letGo = () => {
    if (hold !== null) closeSync(hold);
    hold = null;
  };

  let onBegun: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  let gone = false;
  const closed = new Promise<void>((resolve) =>
    pty.onExit(() => {
      gone = true;
      resolve();
    }),
  );
  // Behind its end, the number of its file descriptor may be another file's.
  const say = (text: string) => {
    if (!gone) pty.write(text);
  };
  const ended = new Promise<ScriptEnd>((resolve, reject) => {
    pty.onData((data) => {
      const bytes = asBytes(data);
      scanner.scan(bytes);
      if (bytes.length >= FLOOD_BYTES) drain(fd, scanner.scan);
      if (scanner.begun()) onBegun();
      const exitCode = scanner.exitCode();
      if (exitCode !== null) resolve({ exitCode, complete: true });
    });
    pty.onExit(({ exitCode, signal }) => {
      letGo();
      onBegun();
      scanner.flush();
      if (!scanner.begun()) reject(new WrapperNotStarted(scanner.preamble().slice(-300)));
      resolve({ exitCode: signal ? 128 + signal : exitCode, complete: false });
    });
  });

  return {
    session: () => ({ leader: pty.pid, terminal, script: scanner.pid() }),
    begun,
    ended,
    begin: () => say(`${mark}\n`),
    release() {
      letGo();
      say('\n');
      return closed;
    },
    abandon() {
      letGo();
      // It never began: that is what is wanted.
      ended.catch(() => undefined);
      if (!gone) pty.kill('SIGKILL');
      return closed;
    },
  };
}

const readInto = Buffer.allocUnsafe(8 * 1024);

/** Takes what already waits in the terminal. */
function drain(fd: number, take: (bytes: Buffer) => void): void {
  for (let n = 0; n < MOST_READS; n++) {
    let length: number;
    try {
      length = readSync(fd, readInto, 0, readInto.length, null);
    } catch (error) {
      // Nothing waits; or the other end is closed, which Node will see for itself.
      if (isErrno(error, 'EAGAIN') || isErrno(error, 'EIO')) return;
      throw error;
    }
    if (length === 0) return;
    take(readInto.subarray(0, length));
  }
}

// The typings say string: with `encoding: null` data are bytes.
function asBytes(data: unknown): Buffer {
  if (!Buffer.isBuffer(data)) throw new TypeError('pty output is not bytes');
  return data;
}

/** What a pty has on Unix, though node-pty's typings, which are for Windows too, do not say so. */
function insides(pty: object): { ptsName: string; fd: number } {
  if (!('ptsName' in pty) || typeof pty.ptsName !== 'string') throw new TypeError('pty has no name');
  if (!('fd' in pty) || typeof pty.fd !== 'number') throw new TypeError('pty has no file descriptor');
  return { ptsName: pty.ptsName, fd: pty.fd };
}
