import type { DiskRoom } from '../blobs/disk-room.js';
import type { Degradation } from '../domain/degradation.js';

/** What /healthz says while the disk has no room for uploads and artifacts. */
export async function diskDegradations(
  room: Pick<DiskRoom, 'left' | 'reserveBytes'>,
): Promise<Degradation[]> {
  const left = await room.left();
  if (left > 0) return [];
  const mebibytes = (bytes: number) => `${Math.max(0, Math.floor(bytes / 2 ** 20))} MiB`;
  const free = mebibytes(left + room.reserveBytes);
  const message = `The disk of the data folder has ${free} free, and ${mebibytes(room.reserveBytes)} are kept for the database and logs (CIDERMILL_DISK_RESERVE_BYTES): uploads and artifacts are refused. Free some space.`;
  return [{ name: 'disk_full', message }];
}
