// The log of one attempt of a build: stores output and result in the order in which the host sends them,
// independently of other builds.
import type { Timer } from '../../../shared/clock.js';
import type { BuildResult, ControlMessage, OutputHeader, ServiceBytes } from '../../../shared/protocol/index.js';
import type { Core } from '../../platform/app/core.js';
import type { LinkBuilds } from '../app/link-ports.js';
import { InvalidMessage } from './incoming.js';

export interface LogStreamDeps extends Pick<Core, 'clock' | 'log'> {
  readonly hostId: string;
  readonly builds: Pick<LinkBuilds, 'output' | 'finished'>;
  readonly send: (message: ControlMessage) => void;
  /** Called with the number of output bytes that were stored or discarded. */
  readonly done: (bytes: number) => void;
  /** Called when no work is left; the stream may then be removed. */
  readonly idle: () => void;
  /** Waiting pieces are joined up to this size, so that a busy log needs few writes. */
  readonly appendBytes: number;
}

export interface AttemptRef {
  readonly build_id: string;
  readonly attempt: number;
}

interface Piece {
  readonly offset: number;
  readonly data: Buffer;
  readonly service: readonly ServiceBytes[];
}

const RETRY_MS = 1000;

export class LogStream {
  readonly #deps: LogStreamDeps;
  readonly #ref: AttemptRef;
  #pieces: Piece[] = [];
  #result: BuildResult | null = null;
  /** The host must be told the next offset. */
  #asked = false;
  #busy = false;
  #closed = false;
  #retry: Timer | null = null;
  /** Next offset after a gap: output at other offsets was sent before the host was told, and is discarded. */
  #expected: number | null = null;

  constructor({ build_id, attempt }: AttemptRef, deps: LogStreamDeps) {
    this.#ref = { build_id, attempt };
    this.#deps = deps;
  }

  output(offset: number, data: Buffer, service: readonly ServiceBytes[] = []): void {
    if (this.#asked || (this.#expected !== null && offset !== this.#expected)) {
      this.#deps.done(data.length);
      return;
    }
    this.#expected = null;
    this.#pieces.push({ offset, data, service });
    void this.#run();
  }

  finished(report: BuildResult): void {
    this.#result = report;
    void this.#run();
  }

  /** Tells the host the next offset. */
  resume(): void {
    this.#asked = true;
    void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#dropPieces();
  }

  async #run(): Promise<void> {
    if (this.#busy || this.#retry) return;
    this.#busy = true;
    try {
      for (let work = this.#next(); work !== null; work = this.#next()) await work;
    } catch (error) {
      this.#startAgainLater(error);
    } finally {
      this.#busy = false;
    }
    if (!this.#retry && !this.#closed && this.#expected === null) this.#deps.idle();
  }

  /** Starts the next work, or returns null. Synchronous, so that no work can be added between null and the end of `#run`. */
  #next(): Promise<void> | null {
    if (this.#closed) return null;
    if (this.#asked) return this.#tellOffset();
    const piece = this.#takePiece();
    if (piece) return this.#append(piece);
    return this.#result && this.#finish(this.#result);
  }

  /** Retries this build later from the stored offset; other builds of the host are not affected. */
  #startAgainLater(error: unknown): void {
    const { log, clock, hostId } = this.#deps;
    log.error({ err: error, ...this.#ref, host_id: hostId }, "cannot store a build's output");
    this.#dropPieces();
    this.#asked = true;
    if (this.#closed) return;
    this.#retry = clock.setTimeout(() => {
      this.#retry = null;
      void this.#run();
    }, RETRY_MS);
  }

  /** Removes and returns the first piece, joined with those that follow without a gap. */
  #takePiece(): { header: OutputHeader; data: Buffer } | null {
    const pieces = this.#pieces;
    const first = pieces.shift();
    if (!first) return null;
    const parts = [first.data];
    const service = [...first.service];
    let size = first.data.length;
    const { appendBytes } = this.#deps;
    while (pieces[0]?.offset === first.offset + size && size + pieces[0].data.length <= appendBytes) {
      const { data, service: more } = pieces.shift()!;
      parts.push(data);
      service.push(...more);
      size += data.length;
    }
    const data = parts.length === 1 ? first.data : Buffer.concat(parts, size);
    return { header: { ...this.#ref, offset: first.offset, service }, data };
  }

  #dropPieces(): void {
    for (const { data } of this.#pieces) this.#deps.done(data.length);
    this.#pieces = [];
  }

  async #tellOffset(): Promise<void> {
    const { builds, hostId, send } = this.#deps;
    this.#asked = false;
    const { nextOffset } = await builds.output(hostId, { ...this.#ref, offset: 0 }, Buffer.alloc(0));
    this.#dropPieces();
    this.#expected = nextOffset;
    send({ type: 'output_ack', ...this.#ref, next_offset: nextOffset, resend: true });
  }

  async #append({ header, data }: { header: OutputHeader; data: Buffer }): Promise<void> {
    const { builds, hostId, send, done } = this.#deps;
    const { nextOffset } = await builds.output(hostId, header, data).finally(() => done(data.length));
    const resend = nextOffset !== header.offset + data.length;
    if (resend) {
      this.#dropPieces();
      this.#expected = nextOffset;
    }
    send({ type: 'output_ack', ...this.#ref, next_offset: nextOffset, resend });
  }

  async #finish(report: BuildResult): Promise<void> {
    const { builds, hostId, send } = this.#deps;
    this.#result = null;
    const { resendFrom } = await builds.finished(hostId, { ...this.#ref, result: report });
    this.#expected = resendFrom;
    send({ type: 'finished_ack', ...this.#ref, resend_from: resendFrom });
  }
}

export type LogStreams = ReturnType<typeof createLogStreams>;

/** @param most streams that may be open at a time */
export function createLogStreams(most: number, deps: Omit<LogStreamDeps, 'idle'>) {
  const streams = new Map<string, LogStream>();
  return {
    /** Returns the stream of an attempt, opening it if necessary. Throws InvalidMessage when too many are open. */
    of(ref: AttemptRef): LogStream {
      const key = `${ref.build_id}/${ref.attempt}`;
      const present = streams.get(key);
      if (present) return present;
      if (streams.size >= most) throw new InvalidMessage('builds: too many at a time');
      const stream = new LogStream(ref, { ...deps, idle: () => streams.delete(key) });
      streams.set(key, stream);
      return stream;
    },
    close(): void {
      for (const stream of streams.values()) stream.close();
      streams.clear();
    },
  };
}
