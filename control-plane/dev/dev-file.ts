// DATA/dev.json: how programs on this machine find the service and sign in. Mode 600.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

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

/** What an earlier start wrote, or null when there was none or it cannot be used. */
export function readDevFile(data: string): DevFile | null {
  let text: string;
  try {
    text = readFileSync(path(data), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Half a file after a power loss is the same as none: it is written anew.
    return null;
  }
  return devFile.safeParse(json).data ?? null;
}

export function writeDevFile(data: string, content: DevFile): void {
  const temporary = `${path(data)}.new`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path(data));
}
