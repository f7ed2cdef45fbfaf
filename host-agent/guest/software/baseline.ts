// The home folder of an image, as a fresh guest has it, and the reset that restores it around the caches.
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { callGuest } from '../call.js';
import { encodeFrame } from '../frames.js';
import { guestProgram } from '../program.js';
import { fields } from '../run.js';
import { GuestError, type GuestTransport } from '../transport.js';
import { openShell, type SoftwareOptions } from './shell.js';
import { eraseSimulators, restartSimulatorService } from './simulators.js';

/** What the programs of a guest send of a home folder: paths, stamps, contents of small files. Only kept and sent back. */
const KINDS = new Set(['home', 'labels', 'crontab', 'volumes', 'place', 'entries', 'content']);
/** Path and stamps of a file, on average at most. */
const ENTRY_BYTES = 256;
/** Names of jobs and of files beside the home folder. */
const MARGIN_BYTES = 1024 * 1024;

/**
 * Describes the home folder of a guest in which nobody has built yet. The same for all guests of an image.
 *
 * @returns a compressed description, up to some tens of MB
 * @throws GuestError `too_many_files`; see also callGuest
 */
export async function captureBaseline(transport: GuestTransport, options: SoftwareOptions = {}): Promise<Buffer> {
  const { limits, signal, clock } = openShell(transport, options);
  const frames: Buffer[] = [];
  let bytes = 0;
  const mostBytes = MARGIN_BYTES + limits.homeFiles * ENTRY_BYTES + 2 * limits.homeContentBytes;
  const input = encodeFrame('limits', fields([String(limits.homeFiles), String(limits.homeContentBytes)]));
  await callGuest(transport, guestProgram('frames.pl', 'home.pl', 'capture-home.pl'), [input], {
    timeoutMs: limits.homeMs,
    signal,
    clock,
    onFrame({ type, payload }) {
      if (!KINDS.has(type)) throw new GuestError('bad_answer', `the guest sent an unexpected frame: ${type}`);
      bytes += payload.length;
      if (bytes > mostBytes) {
        throw new GuestError('too_much_output', 'the home folder of the image is too large to describe');
      }
      frames.push(encodeFrame(type, payload));
    },
  });
  return promisify(gzip)(Buffer.concat(frames), { level: 1 });
}

export interface KeepCachesOptions extends SoftwareOptions {
  /** Folders of the guest that are emptied: work folders, folders of builds. */
  work?: readonly string[];
  /** Absolute paths in the guest that stay as they are. */
  keep?: readonly string[];
}

export interface KeptCaches {
  readonly deleted: number;
  readonly restored: number;
  /** Large files of the image that a build has changed or deleted; they stay so. */
  readonly differ: number;
}

/**
 * Resets a guest for the same tenant: only the caches that builds fill stay (DerivedData, package managers). Ends processes,
 * erases simulators, restores the home folder, recreates the login keychain. What was changed outside the home folder
 * with sudo stays. Idempotent; after an error call it again.
 *
 * @param baseline of the guest's image
 * @throws GuestError when something cannot be deleted or ended; see also callGuest
 */
export async function keepCachesOnly(
  transport: GuestTransport,
  baseline: Buffer,
  options: KeepCachesOptions = {},
): Promise<KeptCaches> {
  const shell = openShell(transport, options);
  const { limits, signal, clock } = shell;
  const { work = [], keep = [] } = options;
  const call = { timeoutMs: limits.homeMs, signal, clock };
  const erased = await eraseSimulators(shell);
  const input = [
    await promisify(gunzip)(baseline),
    encodeFrame('simulators', erased ? 'keep' : 'empty'),
    encodeFrame('keep', fields(keep)),
    encodeFrame('work', fields(work)),
    encodeFrame('end'),
  ];
  const program = guestProgram('frames.pl', 'home.pl', 'end-processes.pl', 'keep-caches.pl');
  const done = await callGuest(transport, program, input, call).catch((error: unknown) => {
    if (!(error instanceof GuestError && error.code === 'ENOSPC')) throw error;
    const message = "caches fill the Mac's disk; a reset that does not keep them empties it";
    throw new GuestError('ENOSPC', message);
  });
  await callGuest(transport, guestProgram('frames.pl', 'home.pl', 'renew-keychain.pl'), [], call);
  await restartSimulatorService(shell);
  const [deleted = 0, restored = 0, differ = 0] = done.toString('latin1').split('\0').map(countOf);
  return { deleted, restored, differ };
}

/** Returns a number that the guest reports; 0 for anything else. */
const countOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0);
