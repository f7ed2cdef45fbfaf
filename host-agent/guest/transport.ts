// How programs are started in a guest: the macOS user session of a virtual machine.
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { systemClock } from '../../shared/clock.js';

export interface GuestTransport {
  readonly kind: 'exec' | 'ssh';
  /**
   * Starts `argv` in the guest as its user. It is visible in the guest and in logs of host and guest, so it must never
   * contain a secret.
   */
  open(argv: readonly string[]): GuestConnection;
}

export interface GuestConnection {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /**
   * Resolves when the local process has exited. `code` is not the status of the program in the guest: `tart exec` uses
   * 1, 2 and 64 itself, and ssh 255. `stderr` has the last 4 KiB.
   */
  readonly closed: Promise<{ code: number | null; stderr: string }>;
  /** Ends the local process. What runs in the guest may go on. */
  destroy(): void;
}

/** The connection failed, or broke before the program had ended. Whether the program did its work is not known. */
export class GuestUnreachableError extends Error {
  override name = 'GuestUnreachableError';
}

/** The program in the guest reported an error. */
export class GuestError extends Error {
  override name = 'GuestError';
  /** The name of a system error (`ENOSPC`) or a code of the program. Chosen in the guest, so it proves nothing. */
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The command of this host that runs something in the guest. */
export interface LocalCommand {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const STDERR_BYTES = 4096;
/** A process that the command has left behind may keep its pipes open. */
const PIPES_MS = 500;

/**
 * Returns a transport that starts a command of this host for each connection.
 *
 * @example execTransport((argv) => ({ file: 'tart', args: ['exec', '-i', 'cm-1', ...argv], env }))
 */
export function execTransport(
  commandOf: (argv: readonly string[]) => LocalCommand,
  kind: GuestTransport['kind'] = 'exec',
): GuestTransport {
  return { kind, open: (argv) => openCommand(commandOf(argv)) };
}

function openCommand({ file, args, env }: LocalCommand): GuestConnection {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let tail = Buffer.alloc(0);
  child.stderr.on('data', (bytes: Buffer) => {
    tail = Buffer.concat([tail, bytes]).subarray(-STDERR_BYTES);
  });
  // What the program has read is known from its answer only.
  child.stdin.on('error', () => undefined);
  const closed = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const end = (code: number | null) => resolve({ code, stderr: tail.toString('utf8') });
    child.on('error', (error) => {
      tail = Buffer.concat([tail, Buffer.from(error.message)]);
      end(null);
    });
    child.on('close', (code) => end(code));
    child.on('exit', (code) => systemClock.setTimeout(() => end(code), PIPES_MS));
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    closed,
    destroy() {
      child.kill('SIGKILL');
      child.stdin.destroy();
      child.stdout.destroy();
    },
  };
}
