// The state of a viewed log: its loaded lines, how long it is, and what went wrong.

import type { LogLine, LogLines } from '../../../client/types.js';
import { clock, type Timer } from '../clock.js';
import type { Connection } from '../data/connection.js';
import { chunkOf, createChunks } from './chunks.js';
import { followLog } from './log-follow.js';
import { pause, waitOf } from './log-retry.js';
import type { LogSource } from './source.js';

/** Lines of one request. */
const CHUNK = 1_000;
/** About 60 MB of memory. */
const MOST_CHARS = 16_000_000;
/** Requests at the same time. */
const AT_ONCE = 2;
/** Shortest interval between the beginnings of two requests for lines, so that scrolling stays below the rate limit. */
const INTERVAL_MS = 120;
/** Lines that are in the window for less than this are not loaded. */
const PASSED_MS = 80;
export interface LogState {
  /** Lines of the log; null before the first answer. */
  readonly total: number | null;
  /** Why lines could not be loaded; null after the next answer. */
  readonly failure: unknown;
  /** The build has ended, and its log was read since. */
  readonly isFinal: boolean;
  /** Counts changes. */
  readonly version: number;
}

interface Wanted {
  readonly first: number;
  readonly last: number;
  readonly direction: 1 | -1;
}

export class LogStore {
  readonly chunks = createChunks({ size: CHUNK, mostChars: MOST_CHARS });
  readonly #source: LogSource;
  readonly #when: (signal: AbortSignal) => Promise<void>;
  readonly #report: (connection: Connection | null) => void;
  readonly #arrived: (lines: readonly LogLine[]) => void;
  readonly #listeners = new Set<() => void>();
  readonly #loading = new Map<number, AbortController>();
  #state: LogState = { total: null, failure: null, isFinal: false, version: 0 };
  #wanted: Wanted = { first: 1, last: 1, direction: 1 };
  #timer: Timer | undefined;
  #lastStart = Number.NEGATIVE_INFINITY;
  /** After a failed request: when the next may be sent. */
  #retryAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  /** Aborted when all requests are sent again. */
  #repeated = new AbortController();
  #isOpen = false;
  /** The length has to be asked for again. */
  #isOutdated = false;
  #hasEnded = false;

  /**
   * @param when resolves when somebody can see the log and the service can be reached; nothing is read before
   * @param report gets the state of the connection while the log is followed, and null at the end
   * @param arrived gets lines that are new while the log is followed
   */
  constructor(
    source: LogSource,
    when: (signal: AbortSignal) => Promise<void>,
    report: (connection: Connection | null) => void = () => undefined,
    arrived: (lines: readonly LogLine[]) => void = () => undefined,
  ) {
    this.#source = source;
    this.#when = when;
    this.#report = report;
    this.#arrived = arrived;
  }

  readonly state = (): LogState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Allows requests, until the returned function is called. */
  open(): () => void {
    this.#isOpen = true;
    this.#schedule(0);
    return () => {
      this.#isOpen = false;
      this.#abort();
    };
  }

  /**
   * Loads what is in the window, then what comes next in the direction of scrolling.
   *
   * @param isPassing other lines will be in the window at once: nothing is loaded until it stays where it is
   */
  show(first: number, last: number, direction: 1 | -1, isPassing = false): void {
    this.#wanted = { first, last, direction };
    if (this.#state.failure !== null) return;
    if (isPassing) this.#timer?.cancel();
    if (isPassing) this.#timer = undefined;
    this.#schedule(isPassing ? PASSED_MS : 0);
  }

  /** Loads a line and returns once it is there; false if it cannot be loaded. */
  async need(line: number, signal: AbortSignal): Promise<boolean> {
    for (let tries = 0; this.chunks.get(line) === null; tries++) {
      const { total } = this.#state;
      if (signal.aborted || (total !== null && line > total)) return false;
      try {
        this.#take(await this.#source.lines(chunkOf(line, CHUNK) * CHUNK + 1, CHUNK, signal));
        // Long lines end a page early.
        if (this.chunks.get(line) === null) this.#take(await this.#source.lines(line, CHUNK, signal));
      } catch (error) {
        const wait = signal.aborted ? null : waitOf(error, tries);
        if (wait === null) return false;
        await pause(wait, signal);
      }
    }
    return true;
  }

  /** Adds lines as they come, until the returned function is called. */
  follow(): () => void {
    const ended = new AbortController();
    const following = {
      source: this.#source,
      chunk: CHUNK,
      when: this.#when,
      total: () => this.#state.total,
      repeated: () => this.#repeated.signal,
      report: this.#report,
      take: (page: LogLines) => {
        this.#take(page);
        this.#arrived(page.lines);
        // After failures lines of the window may be missing.
        this.#schedule(0);
      },
      failed: (failure: unknown) => this.#change({ failure }),
    };
    void followLog(following, ended.signal);
    return () => {
      ended.abort();
      this.#report(null);
    };
  }

  /** Loads everything again: the log may have changed. */
  readonly reload = (): void => {
    this.#repeat();
    this.chunks.clear();
    this.#failures = 0;
    this.#isOutdated = true;
    this.#change({ failure: null });
    this.#schedule(0);
  };

  /** The connection is back: what waits, and what may never be answered, is sent again. Lines that are there stay. */
  readonly onBack = (): void => {
    if (this.#state.failure !== null) {
      this.reload();
      return;
    }
    this.#repeat();
    this.#schedule(0);
  };

  /** The build has ended, so its log is complete; until now parts of it may have been replaced. */
  finish(): void {
    this.#hasEnded = true;
    this.reload();
  }

  #change(next: Partial<LogState>): void {
    this.#state = { ...this.#state, ...next, version: this.#state.version + 1 };
    for (const listener of this.#listeners) listener();
  }

  #take({ lines, total_lines }: LogLines, isFinal = this.#state.isFinal): void {
    this.chunks.put(lines as readonly LogLine[], this.#wanted.first);
    this.#change({ total: total_lines, failure: null, isFinal });
  }

  #repeat(): void {
    this.#abort();
    this.#repeated.abort();
    this.#repeated = new AbortController();
    this.#lastStart = Number.NEGATIVE_INFINITY;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  #abort(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const request of this.#loading.values()) request.abort();
    this.#loading.clear();
  }

  /** Chunks to load, the most urgent first. */
  #order(): number[] {
    const { total } = this.#state;
    const { first, last, direction } = this.#wanted;
    const [from, to] = [chunkOf(first, CHUNK), chunkOf(Math.max(first, last), CHUNK)];
    if (total === null || this.#isOutdated) return [from];
    const inWindow = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const around = direction > 0 ? [to + 1, from - 1] : [from - 1, to + 1];
    return [...inWindow, ...around].filter((chunk) => chunk >= 0 && this.chunks.missingIn(chunk, total) !== null);
  }

  #schedule(ms: number): void {
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, ms);
  }

  #pump(): void {
    if (!this.#isOpen) return;
    const order = this.#order();
    for (const [chunk, request] of this.#loading) if (!order.includes(chunk)) request.abort();
    const next = order.find((chunk) => !this.#loading.has(chunk));
    if (next === undefined || this.#loading.size >= AT_ONCE) return;
    const wait = Math.max(this.#lastStart + INTERVAL_MS, this.#retryAt) - clock.monotonic();
    if (wait <= 0) {
      this.#lastStart = clock.monotonic();
      void this.#load(next);
    }
    this.#schedule(wait <= 0 ? INTERVAL_MS : wait);
  }

  async #load(chunk: number): Promise<void> {
    const request = new AbortController();
    const { signal } = request;
    this.#loading.set(chunk, request);
    try {
      // Each answer may make the log longer, and a window at its end wants the new lines, too.
      await this.#when(signal);
      const end = (chunk + 1) * CHUNK;
      const from = this.chunks.missingIn(chunk, this.#state.total ?? end) ?? chunk * CHUNK + 1;
      const page = await this.#source.lines(from, end - from + 1, signal);
      if (!signal.aborted) {
        this.#isOutdated = false;
        this.#take(page, this.#hasEnded);
      }
      this.#failures = 0;
      this.#schedule(0);
    } catch (error) {
      const wait = signal.aborted ? 0 : waitOf(error, this.#failures++);
      if (wait === null) this.#change({ failure: error });
      else {
        this.#retryAt = clock.monotonic() + wait;
        this.#schedule(wait);
      }
    } finally {
      if (this.#loading.get(chunk) === request) this.#loading.delete(chunk);
    }
  }
}
