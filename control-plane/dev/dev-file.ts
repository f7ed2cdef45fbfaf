// DATA/dev.json: the service's address and credentials for programs on this machine. Mode 600.

import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../shared/durable-file.js';

export const devFile = z.object({
  site_url: z.string(),
  base_url: z.string(),
  runner_url: z.string(),
  api_key: z.string(),
  read_key: z.string(),
  email: z.string(),
  password: z.string(),
  org_id: z.string(),
  workspace_id: z.string(),
  pids: z.object({ control_plane: z.int().nullable(), host_agent: z.int().nullable() }),
});
export type DevFile = z.infer<typeof devFile>;

const path = (data: string) => join(data, 'dev.json');

/** Returns the file of an earlier run, or null if it is missing or invalid. */
export function readDevFile(data: string): DevFile | null {
  return devFile.safeParse(readJson(path(data))).data ?? null;
}

export function writeDevFile(data: string, content: DevFile): void {
  writeDurably(path(data), `${JSON.stringify(content, null, 2)}\n`);
}
