// Calls of programs in a guest. Nothing that a guest says is trusted: every answer is bounded and parsed strictly.
import { once } from 'node:events';
import { type Clock, systemClock } from '../../shared/clock.js';
import { createFrameParser, encodeFrame, type Frame } from './frames.js';
import { bootCommand, type GuestProgram, START_LINE } from './program.js';
import { type GuestConnection, GuestError, type GuestTransport, GuestUnreachableError } from './transport.js';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The call fails when it takes longer. */
  timeoutMs: number;
  /** The time restarts with every byte received or sent. */
  restarting?: boolean;
  clock?: Clock;
}

/** A conversation with a program that runs in the guest. */
export type GuestCall = ReturnType<typeof openCall>;

/** Starts the program in the guest. */
export function openCall(transport: GuestTransport, program: GuestProgram, options: CallOptions) {
  const { signal, timeoutMs, clock = systemClock } = options;
  signal?.throwIfAborted();
  const connection = transport.open(bootCommand(program));
  const { stdin, stdout } = connection;
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure ??= error;
    connection.destroy();
  };
  const abort = () => fail(signal?.reason);
  const late = () => fail(new GuestUnreachableError(`the guest did not answer within ${timeoutMs / 1000} s`));
  let settled = false;
  let timer = clock.setTimeout(late, timeoutMs);
  const settle = () => {
    settled = true;
    timer.cancel();
    signal?.removeEventListener('abort', abort);
  };
  const progress = () => {
    if (!options.restarting || settled) return;
    timer.cancel();
    timer = clock.setTimeout(late, timeoutMs);
  };
  signal?.addEventListener('abort', abort, { once: true });
  const parser = createFrameParser(START_LINE);
  const chunks: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]();
  // Failures of the connection show when its output ends.
  stdin.on('error', () => undefined);
  const write = async (bytes: Buffer) => {
    if (stdin.destroyed || stdin.write(bytes)) return;
    const dropped = new AbortController();
    const ended = { signal: dropped.signal };
    // An error of the connection is reported when its output ends.
    await Promise.race([once(stdin, 'drain', ended), once(stdin, 'close', ended)]).catch(() => undefined);
    dropped.abort();
    progress();
  };
  const receive = async (): Promise<Frame> => {
    for (let frame = parser.next(); ; frame = parser.next()) {
      if (frame !== null) return frame.type === 'failed' ? Promise.reject(errorOf(frame.payload)) : frame;
      // Why the connection failed is found out below.
      const chunk = await chunks.next().catch(() => ({ done: true as const, value: undefined }));
      if (chunk.done) throw failure ?? (await unreachable(connection));
      parser.push(chunk.value);
      progress();
    }
  };

  void write(program.source);
  return {
    /** Sends encoded frames. */
    write,
    /**
     * Sends a frame; resolves when more can be sent. What is sent after the connection broke is dropped: `receive` reports
     * that.
     */
    send: (type: string, payload?: Buffer | string) => write(encodeFrame(type, payload)),
    /**
     * Returns the next frame; the last one is `done`.
     *
     * @throws GuestError when the program reports an error; GuestUnreachableError; the signal's reason when aborted
     */
    async receive() {
      try {
        const frame = await receive();
        if (frame.type === 'done') settle();
        return frame;
      } catch (error) {
        settle();
        connection.destroy();
        throw failure ?? error;
      }
    },
    /** Returns whether nothing more can be sent: the program has ended, or the connection broke. */
    ended: () => stdin.destroyed,
    /** Sends the end of input, after which the program ends. */
    finish: () => void stdin.end(),
    /** Ends the local side. */
    close() {
      settle();
      connection.destroy();
    },
  };
}

async function unreachable(connection: GuestConnection): Promise<GuestUnreachableError> {
  connection.destroy();
  const { code, stderr } = await connection.closed;
  const [first = ''] = plain(stderr).split('\n');
  const why = first === '' ? `the connection ended (${code ?? 'killed'})` : first;
  return new GuestUnreachableError(`the guest could not be reached: ${why}`);
}

const CODE = /^([A-Za-z0-9_]{1,64})(?: (.*))?$/s;

/** Returns the error that a guest reported: `CODE message`. */
export function errorOf(payload: Buffer): GuestError {
  const [, code, message] = CODE.exec(payload.toString('utf8', 0, 1000)) ?? [];
  if (code === undefined) return new GuestError('bad_answer', 'the guest reported an error without a code');
  return new GuestError(code, plain(message ?? code));
}

/** Returns text of the guest without control characters except line feeds. */
const plain = (text: string) => text.replace(/[^\P{C}\n]/gu, ' ').trim();

/**
 * Runs a program: sends its input frames, passes its frames to `onFrame`, and returns the payload of its `done` frame.
 *
 * @param input encoded frames
 * @throws GuestError when the program reports an error; GuestUnreachableError; the signal's reason when aborted
 * @example await callGuest(transport, guestProgram('frames.pl', 'inspect.pl'), [], { timeoutMs: 60_000 })
 */
export async function callGuest(
  transport: GuestTransport,
  program: GuestProgram,
  input: Iterable<Buffer> | AsyncIterable<Buffer>,
  options: CallOptions & { onFrame?: (frame: Frame) => void | Promise<void> },
): Promise<Buffer> {
  const call = openCall(transport, program, options);
  let inputError: unknown = null;
  const sendAll = async () => {
    for await (const bytes of input) await call.write(bytes);
  };
  sendAll().catch((error: unknown) => {
    inputError = error;
    call.close();
  });
  try {
    for (;;) {
      const frame = await call.receive();
      if (frame.type === 'done') return frame.payload;
      if (!options.onFrame) throw new GuestError('bad_answer', `the guest sent an unexpected frame: ${frame.type}`);
      await options.onFrame(frame);
    }
  } catch (error) {
    throw inputError ?? error;
  } finally {
    call.close();
  }
}
