// Prepares the folders of a build in its guest.
import { buildFilesIn, processMark } from '../contract/attempt-folder.js';
import { leastRecentlyUsed } from '../driver/free-disk.js';
import { GUEST_ROOT } from '../driver/guest-access.js';
import { GUEST_RUNS } from '../driver/guest-builds.js';
import type { CallOptions } from '../guest/call.js';
import { type GuestDisk, type GuestFolders, prepareGuestFolders, removeGuestWork } from '../guest/folders.js';
import { signalGuestBuild } from '../guest/processes.js';
import type { GuestTransport } from '../guest/transport.js';
import type { GuestLimits } from '../limits.js';

/** Makes the folders usable, and makes room. Processes of earlier builds that nobody could end are killed first. */
export async function prepareGuest(
  transport: GuestTransport,
  build: { source: string; run: string; now: number },
  options: { limits: GuestLimits; diskReserveBytes: number; signal: AbortSignal },
): Promise<GuestFolders> {
  const { limits, diskReserveBytes, signal } = options;
  const call = { timeoutMs: limits.foldersMs, signal };
  let folders = await prepareGuestFolders(transport, GUEST_ROOT, build, call);
  if (folders.abandoned.length > 0) {
    for (const name of folders.abandoned) {
      const mark = processMark(buildFilesIn(GUEST_RUNS, name));
      await signalGuestBuild(transport, { mark, script: null, work: null }, 'SIGKILL', call);
    }
    folders = await prepareGuestFolders(transport, GUEST_ROOT, { ...build, sweep: true }, call);
  }
  await makeRoomInGuest(transport, folders, { keep: build.source, reserveBytes: diskReserveBytes, call });
  return folders;
}

/** Deletes other work folders of the guest, least recently used first; returns how many. */
export async function makeRoomInGuest(
  transport: GuestTransport,
  disk: GuestDisk,
  { keep, reserveBytes, call }: { keep: string; reserveBytes: number; call: CallOptions },
): Promise<number> {
  let { freeBytes, folders } = disk;
  let removed = 0;
  while (freeBytes < reserveBytes) {
    const next = leastRecentlyUsed(folders, new Set([keep]));
    if (next === null) break;
    ({ freeBytes } = await removeGuestWork(transport, GUEST_ROOT, [next.name], call));
    folders = folders.filter(({ name }) => name !== next.name);
    removed += 1;
  }
  return removed;
}
