// The part of the desire that has to survive the daemon: builds to stop and Macs to keep. Never a spec or a secret;
// the control plane sends a build that has not started again.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../shared/durable-file.js';
import { type DesiredBuild, desiredMac, stopReason } from '../../shared/protocol/index.js';
import { sound } from '../../shared/protocol/kinds.js';

/** More than a host can have. */
const MOST_RECORDS = 100_000;

const journaled = z.object({
  stops: sound(
    z.object({ build_id: z.string(), attempt: z.int().min(1), reason: stopReason.nullable() }),
    MOST_RECORDS,
  ),
  macs: sound(desiredMac, MOST_RECORDS),
});
export type Journaled = z.infer<typeof journaled>;

export interface Journal {
  /** Returns the desire of the last write; empty when there is none that can be read. */
  read(): Journaled;
  /**
   * Returns when the desire is on disk. Throws errors of the file system. Skips the write when nothing has changed.
   */
  write(desire: Journaled): void;
}

/**
 * @param folder where `desire.json` is written
 * @param olderFile where older versions wrote it; deleted with the next write
 */
export function openJournal(folder: string, olderFile?: string): Journal {
  const file = join(folder, 'desire.json');
  let written: string | null = null;
  return {
    read() {
      const found = readJson(file) ?? (olderFile === undefined ? undefined : readJson(olderFile));
      const content = journaled.safeParse(found).data ?? { stops: [], macs: [] };
      written = JSON.stringify(content);
      return content;
    },
    write(desire) {
      const text = JSON.stringify(journaled.parse(desire));
      if (text === written && existsSync(file)) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeDurably(file, text);
      if (olderFile !== undefined) rmSync(olderFile, { force: true });
      written = text;
    },
  };
}

export function stopsOf(builds: readonly DesiredBuild[]): Journaled['stops'] {
  return builds
    .filter((build) => build.want === 'stop')
    .map(({ build_id, attempt, stop_reason }) => ({ build_id, attempt, reason: stop_reason }));
}
