// The keys of one Mac: the login key of the host, and the host key of its guest.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOST_ALIAS, sshFiles } from './ssh-command.js';

export interface MacKeys {
  /** Line of an authorized_keys file. */
  authorizedKey: string;
  /** Private host key for the guest; null: the guest has it, and this host no longer does. */
  hostKey: string | null;
}

const hostKeyFile = (folder: string) => join(folder, 'host_key');

/**
 * Makes the keys, once. known_hosts is written last: with it, both are complete. All files are readable by this user
 * only.
 */
export async function makeKeys(folder: string): Promise<MacKeys> {
  const files = sshFiles(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(files.knownHosts)) {
    await generate(files.key);
    await generate(hostKeyFile(folder));
    const hostKey = await readFile(`${hostKeyFile(folder)}.pub`, 'utf8');
    await writeFile(`${files.knownHosts}.new`, `${HOST_ALIAS} ${hostKey}`, { mode: 0o600 });
    await rename(`${files.knownHosts}.new`, files.knownHosts);
  }
  return {
    authorizedKey: await readFile(files.publicKey, 'utf8'),
    hostKey: existsSync(hostKeyFile(folder)) ? await readFile(hostKeyFile(folder), 'utf8') : null,
  };
}

/** Deletes the guest's private key on this host, which needs it no longer. */
export async function forgetHostKey(folder: string): Promise<void> {
  await rm(hostKeyFile(folder), { force: true });
}

async function generate(file: string): Promise<void> {
  // ssh-keygen asks before it overwrites.
  await Promise.all([rm(file, { force: true }), rm(`${file}.pub`, { force: true })]);
  const args = ['-q', '-t', 'ed25519', '-N', '', '-C', 'cidermill', '-f', file];
  await promisify(execFile)('/usr/bin/ssh-keygen', args, { timeout: 60_000 });
}
