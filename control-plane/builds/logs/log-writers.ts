// The logs that this process writes: one task at a time for each, and what is known of it from the last one.
import { createHash, type Hash } from 'node:crypto';
import type { StoredLog } from '../domain/stored-log.js';

/** What one process remembers of a log. It is only a cache: every change names the version that it has seen. */
export class LogWriter {
  /** As the database had it last; null: not known, or there is none. */
  log: StoredLog | null = null;
  #part: { readonly from: number; readonly hash: Hash } | null = null;
  users = 0;
  tail: Promise<void> = Promise.resolve();

  forget(): void {
    this.log = null;
    this.#part = null;
  }

  /** Takes over what was read from the database. */
  learn(log: StoredLog | null): void {
    if (log?.version !== this.log?.version) this.#part = null;
    this.log = log;
  }

  /** Notes bytes that have been appended; `log` has them. */
  grew(log: StoredLog, bytes: Buffer): void {
    this.log = log;
    if (log.length === bytes.length) this.beginPart(0);
    this.#part?.hash.update(bytes);
  }

  /** Begins a part, whose hash is computed as bytes are appended. */
  beginPart(from: number): void {
    this.#part = { from, hash: createHash('sha256') };
  }

  /** Returns the SHA-256 of the bytes from an offset to the end; null if they were not all appended here. */
  hashFrom(from: number): string | null {
    return this.#part?.from === from ? this.#part.hash.copy().digest('hex') : null;
  }
}

/** @param most logs that are remembered at the same time */
export function createLogWriters(most: number) {
  /** In the order of their last use. */
  const writers = new Map<string, LogWriter>();

  const dropIdle = () => {
    for (const [buildId, { users }] of writers) {
      if (writers.size <= most) return;
      if (users === 0) writers.delete(buildId);
    }
  };

  return {
    /** Runs `work` after all earlier tasks of this log. */
    writing<T>(buildId: string, work: (writer: LogWriter) => Promise<T>): Promise<T> {
      const writer = writers.get(buildId) ?? new LogWriter();
      writers.delete(buildId);
      writers.set(buildId, writer);
      writer.users++;
      const result = writer.tail.then(async () => {
        try {
          return await work(writer);
        } catch (error) {
          // It is not known whether the last change was stored.
          writer.forget();
          throw error;
        } finally {
          writer.users--;
        }
      });
      writer.tail = result.then(dropIdle, dropIdle);
      return result;
    },
    /** Waits for the tasks that were begun. */
    async close(): Promise<void> {
      await Promise.all([...writers.values()].map(({ tail }) => tail));
      writers.clear();
    },
  };
}
