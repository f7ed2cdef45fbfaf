// Which machine this is, so that the service notices when another one uses this host's credential.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Log } from '../../shared/log.js';

/** Read once: it does not change while the program runs. */
let known: string | undefined;

/** `ioreg` may take this long, ms. */
const TIMEOUT_MS = 5_000;

/**
 * Returns the SHA-256 of the machine's identifier: of the hardware on macOS, of the installation on Linux. Undefined where
 * there is none, or it cannot be read: that must not keep the host from connecting.
 *
 * @param read returns the hash; tests have another one
 */
export async function machineId(log: Pick<Log, 'warn'>, read = readOnce): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    log.warn({ err: error }, 'cannot read the identifier of this machine');
    return undefined;
  }
}

async function readOnce(): Promise<string | undefined> {
  known ??= await readMachineId();
  return known;
}

async function readMachineId(): Promise<string | undefined> {
  const id = process.platform === 'darwin' ? await hardwareId() : await installationId();
  return id === undefined ? undefined : createHash('sha256').update(`cidermill machine ${id}`).digest('hex');
}

async function hardwareId(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'], {
    timeout: TIMEOUT_MS,
  });
  return hardwareIdIn(stdout);
}

/** @param text as ioreg prints it */
export const hardwareIdIn = (text: string): string | undefined =>
  /"IOPlatformUUID" = "([0-9A-Fa-f-]{36})"/.exec(text)?.[1]?.toUpperCase();

async function installationId(): Promise<string | undefined> {
  const text = await readFile('/etc/machine-id', 'utf8').catch(() => '');
  return /^[0-9a-f]{32}$/.exec(text.trim())?.[0];
}
