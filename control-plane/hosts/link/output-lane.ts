// One build's way in: its output and its end, in the order in which they came, apart from every other build's.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { BuildResult, ControlMessage, OutputHeader } from '../../../shared/protocol/index.js';
import type { LinkBuilds } from './ports.js';

export interface OutputLane {
  output(offset: number, data: Buffer): void;
  finished(result: BuildResult): void;
  /** Tells the host where to go on. */
  resume(): void;
  close(): void;
}

interface Piece {
  offset: number;
  data: Buffer;
}

const RETRY_MS = 1000;

/**
 * @param deps.idle called when nothing is left to do; the lane may then be dropped
 * @param deps.done called with the number of output bytes that have been dealt with
 */
export function createOutputLane(deps: {
  hostId: string;
  build_id: string;
  attempt: number;
  builds: Pick<LinkBuilds, 'output' | 'finished'>;
  send: (message: ControlMessage) => void;
  done: (bytes: number) => void;
  idle: () => void;
  clock: Clock;
  /** Pieces that wait are joined up to this size, so that a busy log costs few writes. */
  appendBytes: number;
  log: Log;
}): OutputLane {
  const { hostId, build_id, attempt, builds, send, done, idle, clock, appendBytes, log } = deps;
  const ref = { build_id, attempt };
  let pieces: Piece[] = [];
  let result: BuildResult | null = null;
  let asked = false;
  let busy = false;
  let closed = false;
  let retry: Timer | null = null;
  /** Set after a gap: what does not start here was sent before the host heard of it. */
  let expected: number | null = null;

  const take = (): { header: OutputHeader; data: Buffer } | null => {
    const first = pieces.shift();
    if (!first) return null;
    const parts = [first.data];
    let size = first.data.length;
    while (pieces[0]?.offset === first.offset + size && size + pieces[0].data.length <= appendBytes) {
      const { data } = pieces.shift()!;
      parts.push(data);
      size += data.length;
    }
    const data = parts.length === 1 ? first.data : Buffer.concat(parts, size);
    return { header: { ...ref, offset: first.offset }, data };
  };

  const dropPieces = () => {
    for (const { data } of pieces) done(data.length);
    pieces = [];
  };

  const tellOffset = async () => {
    asked = false;
    const { nextOffset } = await builds.output(hostId, { ...ref, offset: 0 }, Buffer.alloc(0));
    dropPieces();
    expected = nextOffset;
    send({ type: 'output_ack', ...ref, next_offset: nextOffset, resend: true });
  };

  const append = async ({ header, data }: { header: OutputHeader; data: Buffer }) => {
    const { nextOffset } = await builds.output(hostId, header, data).finally(() => done(data.length));
    const resend = nextOffset !== header.offset + data.length;
    if (resend) {
      dropPieces();
      expected = nextOffset;
    }
    send({ type: 'output_ack', ...ref, next_offset: nextOffset, resend });
  };

  const finish = async (report: BuildResult) => {
    result = null;
    const { resendFrom } = await builds.finished(hostId, { ...ref, result: report });
    expected = resendFrom;
    send({ type: 'finished_ack', ...ref, resend_from: resendFrom });
  };

  const run = async () => {
    if (busy || retry) return;
    busy = true;
    try {
      for (;;) {
        if (closed) break;
        if (asked) {
          await tellOffset();
          continue;
        }
        const next = take();
        if (next) await append(next);
        else if (result) await finish(result);
        else break;
      }
    } catch (error) {
      // The other builds of the host go on; this one starts again from what is stored.
      log.error({ err: error, ...ref, host_id: hostId }, "cannot store a build's output");
      dropPieces();
      asked = true;
      if (!closed) {
        retry = clock.setTimeout(() => {
          retry = null;
          void run();
        }, RETRY_MS);
      }
    } finally {
      busy = false;
    }
    if (!retry && !closed && expected === null) idle();
  };

  return {
    output(offset, data) {
      if (asked || (expected !== null && offset !== expected)) {
        done(data.length);
        return;
      }
      expected = null;
      pieces.push({ offset, data });
      void run();
    },
    finished(report) {
      result = report;
      void run();
    },
    resume() {
      asked = true;
      void run();
    },
    close() {
      closed = true;
      retry?.cancel();
      dropPieces();
    },
  };
}
