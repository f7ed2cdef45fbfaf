// Reads in one turn of the event loop share a read transaction, so that SQLite takes and returns its locks once for all of
// them: for a read of one row that is most of the work (ADR 33).
import type { Connection } from './sqlite-queries.js';

export interface SharedReads {
  /**
   * To be called before each read: they see what was committed when the first of a turn ran. What this process commits is
   * seen at once (`end`), what another one commits in the next turn.
   *
   * @returns the version of what other processes have written; not newer than what the reads see
   */
  join(): number;
  /**
   * To be called before each commit: the next read sees what it writes, and no reader keeps a checkpoint from
   * finishing.
   */
  end(): void;
}

/** @param outsideVersion returns the number that changes when another process writes */
export function shareReads(reader: Connection, outsideVersion: () => number): SharedReads {
  const begin = reader.prepare('BEGIN');
  const commit = reader.prepare('COMMIT');
  let version: number | null = null;
  const end = () => {
    if (version === null) return;
    version = null;
    // A read that failed may have ended it.
    if (reader.inTransaction) commit.run();
  };
  return {
    join() {
      if (version !== null) return version;
      version = outsideVersion();
      begin.run();
      setImmediate(end);
      return version;
    },
    end,
  };
}
