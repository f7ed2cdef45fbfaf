// The identity of this host: DATA/credential.json, mode 600, written by enrollment.
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../shared/durable-file.js';

const credentialFile = z.object({
  host_id: z.string(),
  name: z.string(),
  /** Sent in a header unchanged. */
  credential: z.string().regex(/^[\x21-\x7e]+$/),
});
export type HostCredential = z.infer<typeof credentialFile>;

export const credentialPath = (dataDir: string): string => join(resolve(dataDir), 'credential.json');

/** Returns null when the host is not enrolled. Removes the permissions of other users from the file. */
export function readCredential(dataDir: string): HostCredential | null {
  const file = credentialPath(dataDir);
  const content = credentialFile.safeParse(readJson(file)).data ?? null;
  if (content && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  return content;
}

export function writeCredential(dataDir: string, credential: HostCredential): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeDurably(credentialPath(dataDir), `${JSON.stringify(credential, null, 2)}\n`);
}
