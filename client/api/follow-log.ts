// Follows a build's log across lost connections.
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { incompleteTail } from '../../shared/utf8.js';
import { CidermillError } from '../cidermill-error.js';
import type { CallOptions } from '../http/exchange.js';
import type { RetryPolicy } from '../http/retry.js';
import type { LogSegment } from '../types.js';

/** How long one request of a follower waits for more, in seconds; the service allows 60. */
const FOLLOW_WAIT_S = 55;

/** Shortest interval between requests when the service answers a wait at once without data, in ms. */
const SHORTEST_WAIT_MS = 250;

/**
 * A segment of at least this many bytes means that there is more: the rest is then fetched in one
 * stream. Otherwise a long log would take one request per segment, and requests are limited.
 */
const BEHIND_BYTES = 128 * 1024;

/** How long that stream stays open for more, in seconds, so that continuous output needs no further requests. */
const BEHIND_WAIT_S = 5;

/** A follower outlasts a restart of the service: about five minutes of silence before it gives up. */
export const FOLLOW_RETRY: Partial<RetryPolicy> = { attempts: 40, maxMs: 15_000 };

/** Requests for parts of a log. */
export interface LogSource {
  /**
   * The log from a byte offset, at most 256 KiB.
   *
   * @param options.waitS seconds (0 to 60) to wait for more when nothing is there yet
   */
  segment(id: string, offset: number, options?: CallOptions & { waitS?: number }): Promise<LogSegment>;
  /**
   * The log as raw bytes from its start, from `offset` on, or its last `tail` lines. With `waitS` (0 to 3600) it stays
   * open until the build ends or the time is over. A lost connection is an error here; {@link LogFollower.follow} and
   * {@link LogFollower.followBytes} continue instead. With `timestamps`, which goes without `offset`, each line follows
   * the time at which it arrived.
   */
  stream(
    id: string,
    options?: CallOptions & {
      offset?: number;
      tail?: number;
      waitS?: number;
      plain?: boolean;
      timestamps?: boolean;
    },
  ): AsyncGenerator<Uint8Array, void, undefined>;
}

export interface LogFollower {
  /**
   * The log as it grows, until the build has ended and everything was delivered.
   *
   * Each segment begins where the one before it ended, also after a lost connection, so no byte is delivered
   * twice or omitted, and no character is split.
   *
   * @example
   * for await (const { data } of client.builds.log.follow(build.id)) process.stdout.write(data);
   */
  follow(id: string, options?: CallOptions & { offset?: number }): AsyncGenerator<LogSegment, void, undefined>;
  /**
   * Like {@link LogFollower.follow}, with the bytes as the build printed them, including those that are not UTF-8, where
   * text has U+FFFD.
   *
   * @example
   * for await (const bytes of client.builds.log.followBytes(build.id)) process.stdout.write(bytes);
   */
  followBytes(id: string, options?: CallOptions & { offset?: number }): AsyncGenerator<Uint8Array, void, undefined>;
}

export function followLog(clock: Clock, { segment, stream }: LogSource): LogFollower {
  return {
    async *follow(id, options) {
      let offset = options?.offset ?? 0;
      const retry = { ...FOLLOW_RETRY, ...options?.retry };
      for (;;) {
        const askedAt = clock.monotonic();
        const next = await segment(id, offset, { ...options, retry, waitS: FOLLOW_WAIT_S });
        if (next.data !== '' || next.eof) yield next;
        if (next.eof) return;
        const waited = clock.monotonic() - askedAt;
        if (next.next_offset <= offset && waited < SHORTEST_WAIT_MS) {
          await pause(clock, SHORTEST_WAIT_MS - waited, options?.signal);
        }
        const behind = next.next_offset - offset >= BEHIND_BYTES;
        offset = Math.max(offset, next.next_offset);
        if (!behind) continue;
        for await (const piece of rest(stream, next, { ...options, retry })) {
          yield piece;
          offset = piece.next_offset;
        }
      }
    },
    async *followBytes(id, options) {
      const place = { offset: options?.offset ?? 0 };
      const patient = { ...options, retry: { ...FOLLOW_RETRY, ...options?.retry } };
      for (;;) {
        const askedAt = clock.monotonic();
        const before = place.offset;
        const held = yield* pieces(stream, id, place, { ...patient, waitS: FOLLOW_WAIT_S });
        // Tells the end of the log from the end of the wait or of the connection.
        const next = await segment(id, place.offset, patient);
        if (next.eof && next.next_offset === place.offset + held.length) {
          if (held.length > 0) yield held;
          return;
        }
        const waited = clock.monotonic() - askedAt;
        if (place.offset === before && waited < SHORTEST_WAIT_MS) {
          await pause(clock, SHORTEST_WAIT_MS - waited, options?.signal);
        }
      }
    },
  };
}

/**
 * Yields a stream in pieces that end with a whole character, because a log cannot be resumed inside one.
 * Advances `place` before each piece. Ends early when the connection is lost.
 *
 * @returns the bytes of an incomplete character at the end
 */
async function* pieces(
  stream: LogSource['stream'],
  id: string,
  place: { offset: number },
  options: CallOptions & { waitS: number },
): AsyncGenerator<Uint8Array, Uint8Array, undefined> {
  let held: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of stream(id, { ...options, offset: place.offset })) {
      const bytes = held.length === 0 ? chunk : joined(held, chunk);
      const whole = bytes.subarray(0, bytes.length - incompleteTail(bytes));
      held = bytes.slice(whole.length);
      if (whole.length === 0) continue;
      place.offset += whole.length;
      yield whole;
    }
  } catch (error) {
    // The next request starts where this one ended and reports the same error.
    if (!(error instanceof CidermillError && error.retryable)) throw error;
  }
  return held;
}

/** Streams what follows a segment. */
async function* rest(
  stream: LogSource['stream'],
  after: LogSegment,
  options: CallOptions,
): AsyncGenerator<LogSegment, void, undefined> {
  const { build_id, status } = after;
  const place = { offset: after.next_offset };
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of pieces(stream, build_id, place, { ...options, waitS: BEHIND_WAIT_S })) {
    const data = decoder.decode(bytes);
    const next_offset = place.offset;
    yield { build_id, offset: next_offset - bytes.length, next_offset, data, eof: false, status };
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
