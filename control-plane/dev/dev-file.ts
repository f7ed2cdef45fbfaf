// DATA/dev.json: the service's address and credentials for programs on this machine. Mode 600. It appears when everything is
// ready; until then dev-account.json has what a first start that was interrupted has created.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../shared/durable-file.js';

const demo = z.object({
  api_key: z.string(),
  read_key: z.string(),
  email: z.string(),
  password: z.string(),
  org_id: z.string(),
  workspace_id: z.string(),
});

export const devFile = demo.extend({
  site_url: z.string(),
  base_url: z.string(),
  runner_url: z.string(),
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
  rmSync(firstStartPath(data), { force: true });
}

/** A first start that was interrupted before it was ready. */
const firstStart = demo.extend({ macs_rented: z.boolean() });
export type FirstStart = z.infer<typeof firstStart>;

const firstStartPath = (data: string) => join(data, 'dev-account.json');

export function readFirstStart(data: string): FirstStart | null {
  return firstStart.safeParse(readJson(firstStartPath(data))).data ?? null;
}

export function writeFirstStart(data: string, content: FirstStart): void {
  writeDurably(firstStartPath(data), `${JSON.stringify(content, null, 2)}\n`);
}
