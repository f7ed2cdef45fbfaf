// Reads a build's log: all of it, its last lines, from an offset, or following its growth.
import { countOf } from '../../../shared/count.js';
import type { Core } from '../../platform/app/core.js';
import { type WaitDeps, waitUntil } from '../../platform/app/wait-until.js';
import type { AddressedAs } from '../../platform/blobs/object-store.js';
import type { Scope } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type BuildStatus, hasEnded } from '../domain/build.js';
import type { BuildLogs } from '../logs/build-logs.js';
import { readableLog } from './log-access.js';
import { withTimestamps } from './log-timestamps.js';

export interface BuildLogDeps extends WaitDeps, Pick<Core, 'store' | 'limits'> {
  readonly logs: BuildLogs;
}

export interface LogSegment {
  readonly buildId: string;
  /** Offset of `data` in bytes. */
  readonly offset: number;
  readonly nextOffset: number;
  readonly data: Buffer;
  /** The build has ended and there is nothing after `nextOffset`. */
  readonly eof: boolean;
  readonly status: BuildStatus;
}

export interface LogRequest {
  readonly scope: Scope;
  readonly buildId: string;
}

export interface EndedLog {
  readonly bytes: number;
  /** Names these bytes. */
  readonly tag: string;
  /** @param part the end is exclusive */
  read(part: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>;
  /** Returns an address at the object store from which anybody can fetch the log for a while; null if there is none. */
  address(as: Omit<AddressedAs, 'validMs'>): Promise<string | null>;
}

export type BuildLog = ReturnType<typeof createBuildLog>;

export function createBuildLog(deps: BuildLogDeps) {
  const { store, logs, limits, realClock } = deps;

  const statusOf = (of: LogRequest): Promise<BuildStatus> => readableLog(store, of);

  const readAt = async (of: LogRequest, offset: number): Promise<LogSegment> => {
    // Read the status first: if the build has ended by then, its log is complete.
    const status = await statusOf(of);
    const ended = hasEnded(status);
    const { data, length, ...read } = await logs.read(of.buildId, offset, limits.log_segment_bytes, ended);
    if (offset > length) {
      throw new ApiError('invalid_offset', {
        message: `The log has ${countOf(length, 'byte')}.`,
        detail: { length },
      });
    }
    return { ...read, buildId: of.buildId, data, status, eof: ended && read.nextOffset >= length };
  };

  const segment = (of: LogRequest & { offset: number; ms: number; signal: AbortSignal }) =>
    waitUntil(
      deps,
      { topic: 'build-log', key: of.buildId, ms: of.ms, signal: of.signal },
      () => readAt(of, of.offset),
      (read) => read.data.length > 0 || read.eof,
    );

  /** A segment before the log's end is the same whether or not the build has ended. */
  const inside = async ({ buildId }: LogRequest, offset: number) => {
    const read = await logs.read(buildId, offset, limits.log_segment_bytes, false);
    return read.data.length > 0 && read.nextOffset < read.length ? read : null;
  };

  const startOf = async (of: LogRequest, from: { tail: number | null; offset: number | null }) =>
    from.tail === null ? (from.offset ?? 0) : logs.tailOffset(of.buildId, from.tail);

  return {
    /**
     * Returns at most one segment from `offset`, never splitting a character. Waits up to `ms` for more output.
     *
     * @throws ApiError build_not_found; log_deleted; invalid_offset beyond the log's end
     */
    segment,

    /**
     * Returns the log so far, or its last `tail` lines, each after its time with `timestamps`. Throws build_not_found,
     * log_deleted.
     */
    async text(of: LogRequest & { tail: number | null; timestamps: boolean }): Promise<AsyncIterable<Buffer>> {
      await statusOf(of);
      const start = await startOf(of, { tail: of.tail, offset: null });
      const chunks = logs.stream(of.buildId, { start });
      return of.timestamps ? withTimestamps(logs, of.buildId, start, chunks) : chunks;
    },

    /**
     * Returns the whole log of a build that has ended, which no longer changes; null before. Throws build_not_found,
     * log_deleted.
     */
    async ended(of: LogRequest): Promise<EndedLog | null> {
      const { buildId } = of;
      if (!hasEnded(await statusOf(of))) return null;
      const bytes = await logs.bytes(buildId);
      return {
        bytes,
        tag: `${buildId}-${bytes}`,
        read: (part) => logs.stream(buildId, part),
        address: (as) => logs.address(buildId, { ...as, validMs: limits.artifact_address_ms }),
      };
    },

    /**
     * Streams the log and follows it until the build ends, `ms` have passed or `signal` aborts. Throws the same errors
     * as `segment`, before the first byte. `timestamps` needs `offset` null.
     */
    async follow(
      of: LogRequest & {
        tail: number | null;
        offset: number | null;
        timestamps: boolean;
        ms: number;
        signal: AbortSignal;
      },
    ): Promise<AsyncIterable<Buffer>> {
      const deadline = realClock.monotonic() + of.ms;
      const start = await startOf(of, of);
      const first = await readAt(of, start);
      const chunks = (async function* () {
        for (let read = first; ; ) {
          if (read.data.length > 0) yield read.data;
          let at = read.nextOffset;
          for (let more = await inside(of, at); more && !of.signal.aborted; more = await inside(of, at)) {
            yield more.data;
            at = more.nextOffset;
          }
          const ms = deadline - realClock.monotonic();
          if (read.eof || of.signal.aborted || (ms <= 0 && read.data.length === 0)) return;
          read = await segment({ ...of, offset: at, ms });
        }
      })();
      return of.timestamps ? withTimestamps(logs, of.buildId, start, chunks) : chunks;
    },
  };
}
