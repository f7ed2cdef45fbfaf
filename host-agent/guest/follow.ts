// Follows the supervisor of a build over one connection after another.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { GuestLimits } from '../limits.js';
import { within } from '../system/within.js';
import { type GuestCall, openCall } from './call.js';
import { encodeFrame, type Frame } from './frames.js';
import { guestProgram } from './program.js';
import { fields, numberOf } from './run.js';
import { GuestError, type GuestTransport, GuestUnreachableError } from './transport.js';

/** The guest is gone: it was restarted or stopped, or could not be reached for a long time. */
export class GuestLostError extends Error {
  override name = 'GuestLostError';
}

/** The supervisor has been killed by a process of the guest. */
export class SupervisorKilledError extends Error {
  override name = 'SupervisorKilledError';
}

export interface Session {
  boot: string;
  /** Process id of the supervisor. */
  supervisor: number;
  terminal: string;
}

export interface FollowOptions {
  transport: GuestTransport;
  /** Returns the frames that start the supervisor with this token. */
  start(token: string): Iterable<Buffer>;
  /** Returns how much output has been received. */
  offset(): number;
  /** A connection to the supervisor was made. */
  onSession(session: Session): void;
  onFrame(frame: Frame): void;
  /** Returns false when it is known that the virtual machine does not run. */
  isRunning(): Promise<boolean>;
  limits: GuestLimits;
  clock: Clock;
}

export interface Follower {
  /** Sends a frame if there is a connection; otherwise tries at once to connect again. */
  send(type: string, payload?: string): void;
  /**
   * Rejects with GuestLostError, SupervisorKilledError, or the error of the program that starts the supervisor; resolves
   * after `close`.
   */
  done: Promise<void>;
  /** Ends the connection after what was sent. */
  close(): Promise<void>;
}

const FINISH_MS = 2_000;
const MOST_WRONG_ANSWERS = 5;
const starting = () =>
  guestProgram('frames.pl', 'follow.pl', 'processes.pl', 'terminal.pl', 'launch.pl', 'supervise.pl');
const reconnecting = () => guestProgram('frames.pl', 'follow.pl', 'reconnect.pl');

/** Starts a supervisor in the guest and follows it until `close`. */
export function followSupervisor(options: FollowOptions): Follower {
  const { transport, limits, clock } = options;
  const token = randomBytes(16).toString('hex');
  const closing = new AbortController();
  let call: GuestCall | null = null;
  let connected = false;
  let port: number | null = null;
  let session: Session | null = null;
  let contactAt = clock.monotonic();
  let delay = limits.retryBaseMs;
  let wrongAnswers = 0;
  let goneAt: number | null = null;
  let waiting: AbortController | null = null;

  const connect = async (): Promise<void> => {
    const program = port === null ? starting() : reconnecting();
    call = openCall(transport, program, { timeoutMs: limits.silentMs, restarting: true, clock });
    if (port === null) {
      for (const frame of options.start(token)) await call.write(frame);
      port = portOf(await call.receive());
    } else void call.send('port', String(port));
    void call.send('follow', fields([token, String(options.offset())]));
    for (;;) {
      const frame = await call.receive();
      contactAt = clock.monotonic();
      delay = limits.retryBaseMs;
      if (frame.type === 'session') {
        session = sessionOf(frame);
        connected = true;
        options.onSession(session);
      } else options.onFrame(frame);
    }
  };
  const isFinal = (error: unknown): unknown => {
    if (error instanceof GuestUnreachableError) return null;
    if (!(error instanceof GuestError)) return error;
    if (error.code === 'gone') {
      const lost = goneError(error, session);
      if (!(lost instanceof SupervisorKilledError)) return lost;
      // A guest that goes down ends its processes first.
      goneAt ??= clock.monotonic();
      return clock.monotonic() - goneAt >= limits.goneMs ? lost : null;
    }
    wrongAnswers += 1;
    return session === null || wrongAnswers > MOST_WRONG_ANSWERS ? error : null;
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await connect();
      } catch (error) {
        connected = false;
        if (closing.signal.aborted) return;
        const final = isFinal(error);
        if (final !== null) throw final;
        if (clock.monotonic() - contactAt > limits.lostMs || !(await options.isRunning())) {
          throw new GuestLostError(error instanceof Error ? error.message : String(error), { cause: error });
        }
      }
      waiting = new AbortController();
      const wait = AbortSignal.any([waiting.signal, closing.signal]);
      // Rejects only when the pause is cut short.
      await pause(clock, delay, wait).catch(() => undefined);
      waiting = null;
      delay = Math.min(delay * 2, limits.retryMaxMs);
    }
  };
  const done = run();
  // The error is thrown where the caller awaits `done`.
  done.catch(() => undefined);

  return {
    done,
    send(type, payload) {
      if (connected) void call?.send(type, payload);
      else waiting?.abort();
    },
    async close() {
      closing.abort();
      if (connected) call?.finish();
      else call?.close();
      // The check whether the virtual machine runs may take longer.
      await within(
        done.catch(() => undefined),
        clock,
        FINISH_MS,
        undefined,
      );
      call?.close();
    },
  };
}

/** The supervisor no longer listens. */
function goneError(error: GuestError, session: Session | null): Error {
  if (session !== null && session.boot === error.message) {
    return new SupervisorKilledError('the process that ran the script in the guest was killed');
  }
  return new GuestLostError('the guest was restarted', { cause: error });
}

function portOf({ type, payload }: Frame): number {
  const port = numberOf(payload);
  if (type !== 'port' || port < 1 || port > 65535) {
    throw new GuestError('bad_answer', 'the guest sent no port');
  }
  return port;
}

function sessionOf({ payload }: Frame): Session {
  const [boot = '', supervisor = '', terminal = ''] = payload.toString('utf8', 0, 500).split('\0');
  return { boot: boot.trim(), supervisor: numberOf(Buffer.from(supervisor)), terminal };
}

const PIECE = 512 * 1024;

/** Returns frames of one type for a text of any length. */
export function* inPieces(type: string, content: string | Buffer): Iterable<Buffer> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; at += PIECE) yield encodeFrame(type, bytes.subarray(at, at + PIECE));
}
