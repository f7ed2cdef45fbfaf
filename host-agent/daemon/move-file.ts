// DATA/move.json: where this host should move to, and where it came from. It is read after a restart, because the service
// may answer only at the new address by then.
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../shared/durable-file.js';

const moveFile = z.object({
  /** The wanted address; null: the configured one. */
  to: z.string().nullable(),
  /** The address before the last move, and until when (ms) the host may return to it. */
  previous: z.object({ site_url: z.string(), until: z.number() }).nullable(),
});
export type MoveState = z.infer<typeof moveFile>;

export interface MoveFile {
  read(): MoveState;
  write(state: MoveState): void;
}

export function openMoveFile(dataDir: string): MoveFile {
  const file = join(dataDir, 'move.json');
  return {
    read: () => moveFile.safeParse(readJson(file)).data ?? { to: null, previous: null },
    write: (state) => writeDurably(file, `${JSON.stringify(state, null, 2)}\n`),
  };
}
