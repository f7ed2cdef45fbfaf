// Runs one command in a guest, without a terminal.
import { type CallOptions, callGuest } from './call.js';
import { encodeFrame } from './frames.js';
import { guestProgram } from './program.js';
import { GuestError, type GuestTransport } from './transport.js';

export interface GuestRun {
  /** 128 + n for a signal n; 127 when there is no such command. */
  status: number;
  stdout: Buffer;
  stderr: string;
}

const MOST_BYTES = 16 * 1024 * 1024;
const STDERR_BYTES = 16 * 1024;

/**
 * Runs a command as the guest's user; it and its process group are killed when the call ends early. Neither the
 * arguments nor the environment appear in logs of the guest, but processes of the guest can see them.
 *
 * @param options.env added to the environment of the guest's user
 * @param options.onOutput receives standard output instead of the result
 * @throws GuestError (`too_much_output`) when standard output exceeds `maxBytes`; see also callGuest
 * @example await runInGuest(transport, ['/usr/bin/sw_vers', '-productVersion'], { timeoutMs: 30_000 })
 */
export async function runInGuest(
  transport: GuestTransport,
  argv: readonly string[],
  options: CallOptions & {
    env?: Readonly<Record<string, string>>;
    input?: Buffer | string;
    maxBytes?: number;
    onOutput?: (bytes: Buffer) => void | Promise<void>;
  },
): Promise<GuestRun> {
  const { env = {}, input = '', maxBytes = MOST_BYTES, onOutput } = options;
  const stdout: Buffer[] = [];
  let bytes = 0;
  let stderr = Buffer.alloc(0);
  const frames = [
    encodeFrame('command', fields(argv)),
    encodeFrame('environment', fields(Object.entries(env).map(([name, value]) => `${name}=${value}`))),
    encodeFrame('input', input),
  ];
  const status = await callGuest(transport, guestProgram('frames.pl', 'run.pl'), frames, {
    ...options,
    onFrame({ type, payload }) {
      if (type === 'errors') {
        stderr = Buffer.concat([stderr, payload]).subarray(-STDERR_BYTES);
        return;
      }
      if (type !== 'output') throw new GuestError('bad_answer', `the guest sent an unexpected frame: ${type}`);
      if (onOutput) return onOutput(payload);
      bytes += payload.length;
      if (bytes > maxBytes) {
        throw new GuestError('too_much_output', `${argv[0]} printed more than ${maxBytes} bytes`);
      }
      stdout.push(payload);
    },
  });
  return { status: numberOf(status), stdout: Buffer.concat(stdout), stderr: stderr.toString('utf8') };
}

/** Returns the texts as a payload in which each ends with NUL. */
export function fields(texts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      if (text.includes('\0')) throw new RangeError('a text for the guest contains NUL');
      return [typeof text === 'string' ? Buffer.from(text) : text, Buffer.alloc(1)];
    }),
  );
}

/** Returns a number that the guest sent. */
export function numberOf(payload: Buffer): number {
  const text = payload.toString('latin1');
  if (!/^\d{1,15}$/.test(text)) throw new GuestError('bad_answer', 'the guest sent no valid number');
  return Number(text);
}
