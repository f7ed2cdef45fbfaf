// A build's log in its four forms, and a follower that survives lost connections.

import { incompleteTail } from '../../shared/utf8.js';
import { CidermillError } from '../cidermill-error.js';
import { type CallOptions, fetchBytes, fetchJson, fetchText, type Wire } from '../http/exchange.js';
import { type RetryPolicy, sleep } from '../http/retry.js';
import type { LogSegment } from '../types.js';

/** How long one request of a follower waits for more, in seconds; the service allows 60. */
const FOLLOW_WAIT_S = 55;

/** A service that answers a wait at once and empty-handed is not asked more often than this. */
const SHORTEST_WAIT_MS = 250;

/**
 * A segment of at least this many bytes tells that more lies behind it: what is there is then fetched in one
 * stream. A long log would else be as many requests as it has segments, and the service limits those.
 */
const BEHIND_BYTES = 128 * 1024;

/** How long that stream stays open for more, in seconds: a flood that goes on needs no further requests. */
const BEHIND_WAIT_S = 5;

/** A follower outlasts a restart of the service: about five minutes of silence before it gives up. */
const FOLLOW_RETRY: Partial<RetryPolicy> = { attempts: 40, maxMs: 15_000 };

export interface BuildLogApi {
  /** Everything so far. */
  text(id: string, options?: CallOptions): Promise<string>;
  /** The last `lines` lines, 0 to 10,000. */
  tail(id: string, lines: number, options?: CallOptions): Promise<string>;
  /**
   * What stands at a byte offset, at most 256 KiB.
   *
   * @param options.waitS seconds (0 to 60) to wait for more when nothing is there yet
   */
  segment(id: string, offset: number, options?: CallOptions & { waitS?: number }): Promise<LogSegment>;
  /**
   * The log as raw bytes from its start, or from `offset` on. With `waitS` (0 to 3600) it stays open until the
   * build ends or the time is over. A lost connection is an error here; {@link BuildLogApi.follow} continues
   * instead.
   */
  stream(
    id: string,
    options?: CallOptions & { offset?: number; waitS?: number },
  ): AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * The log as it grows, until the build has ended and everything was delivered.
   *
   * Each segment begins where the one before it ended, also after a lost connection, so no byte is delivered
   * twice or left out, and no character is cut in two.
   *
   * @example
   * for await (const { data } of client.builds.log.follow(build.id)) process.stdout.write(data);
   */
  follow(
    id: string,
    options?: CallOptions & { offset?: number },
  ): AsyncGenerator<LogSegment, void, undefined>;
}

export function buildLogApi(wire: Wire): BuildLogApi {
  const pathOf = (id: string) => `/builds/${encodeURIComponent(id)}/log`;
  const segment: BuildLogApi['segment'] = (id, offset, options) => {
    const wait = options?.waitS;
    return fetchJson(wire, {
      method: 'GET',
      path: pathOf(id),
      query: { offset, wait },
      holdMs: (wait ?? 0) * 1000,
      options,
    });
  };
  const stream: BuildLogApi['stream'] = (id, options) => {
    const { waitS: wait, offset } = options ?? {};
    const query = wait === undefined && offset === undefined ? {} : { format: 'text', offset, wait };
    const holdMs = (wait ?? 0) * 1000;
    const call = { method: 'GET', path: pathOf(id), query, holdMs, options } as const;
    return fetchBytes(wire, call, 'the connection was lost in the middle of the log');
  };

  /** What lies behind a segment, in pieces as they arrive; ends early when the connection is lost. */
  async function* rest(after: LogSegment, options: CallOptions): AsyncGenerator<LogSegment, void, undefined> {
    const { build_id, status } = after;
    let offset = after.next_offset;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let held: Uint8Array = new Uint8Array();
    try {
      for await (const chunk of stream(build_id, { ...options, offset, waitS: BEHIND_WAIT_S })) {
        const bytes = held.length === 0 ? chunk : joined(held, chunk);
        const whole = bytes.subarray(0, bytes.length - incompleteTail(bytes));
        held = bytes.slice(whole.length);
        if (whole.length === 0) continue;
        const next_offset = offset + whole.length;
        yield { build_id, offset, next_offset, data: decoder.decode(whole), eof: false, status };
        offset = next_offset;
      }
    } catch (error) {
      // The next segment begins where this ended, and meets again what is wrong.
      if (!(error instanceof CidermillError && error.retryable)) throw error;
    }
  }

  return {
    text: (id, options) => fetchText(wire, { method: 'GET', path: pathOf(id), options }),
    tail: (id, lines, options) =>
      fetchText(wire, { method: 'GET', path: pathOf(id), query: { tail: lines }, options }),
    segment,
    stream,
    async *follow(id, options) {
      let offset = options?.offset ?? 0;
      const retry = { ...FOLLOW_RETRY, ...options?.retry };
      for (;;) {
        const askedAt = wire.clock.now();
        const next = await segment(id, offset, { ...options, retry, waitS: FOLLOW_WAIT_S });
        if (next.data !== '' || next.eof) yield next;
        if (next.eof) return;
        const waited = wire.clock.now() - askedAt;
        if (next.next_offset <= offset && waited < SHORTEST_WAIT_MS) {
          await sleep(SHORTEST_WAIT_MS - waited, wire.clock, options?.signal);
        }
        const behind = next.next_offset - offset >= BEHIND_BYTES;
        offset = Math.max(offset, next.next_offset);
        if (!behind) continue;
        for await (const piece of rest(next, { ...options, retry })) {
          yield piece;
          offset = piece.next_offset;
        }
      }
    },
  };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
