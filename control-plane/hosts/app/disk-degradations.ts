import type { DiskRoom } from '../../platform/blobs/disk-room.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries } from '../../platform/store/sql.js';
import { listHosts } from '../store/hosts.js';

/** Returns the degradations for /healthz while the disk is nearly full. */
export async function diskDegradations(
  room: Pick<DiskRoom, 'left' | 'reserveBytes' | 'admits'>,
): Promise<Degradation[]> {
  const left = await room.left();
  if (left > 0) return [];
  const mebibytes = (bytes: number) => `${Math.max(0, Math.floor(bytes / 2 ** 20))} MiB`;
  const free = mebibytes(left + room.reserveBytes);
  const effects = ['uploads and artifacts are refused'];
  if (!(await room.admits('logs'))) effects.push('hosts buffer the output of builds');
  if (!(await room.admits('requests'))) effects.push('requests that add something are refused');
  const message = `The disk of the data folder has ${free} free, and ${mebibytes(room.reserveBytes)} are reserved for the database and logs (CIDERMILL_DISK_RESERVE_BYTES): ${effects.join(', ')}. Free some space.`;
  return [{ name: 'disk_full', message }];
}

/** Degradations of /healthz for connected hosts that take no builds because their disk is low on space. */
export async function hostDiskDegradations(store: Queries): Promise<Degradation[]> {
  const low = (await listHosts(store)).filter(
    ({ status, connected, diskLow }) => status !== 'removed' && connected && diskLow,
  );
  return low.map(({ hostId, name, inventory }) => ({
    name: 'host_disk_full',
    message: `Host ${name} (${hostId}) has ${Math.floor((inventory?.disk_free_bytes ?? 0) / 2 ** 20)} MiB free and takes no builds. Free some space there, or lower limits.build.diskReserveBytes in its agent.json.`,
  }));
}

/** Degradations of /healthz for connected hosts that have reported why they cannot create Macs. */
export async function blockedHostDegradations(store: Queries): Promise<Degradation[]> {
  const hosts = (await listHosts(store)).filter(({ status, connected }) => status !== 'removed' && connected);
  return hosts.flatMap(({ hostId, name, blocked }) =>
    blocked
      ? {
          name: 'host_blocked',
          message: `Host ${name} (${hostId}) cannot create Macs (${blocked.code ?? 'unknown'}): ${blocked.message} It gets no new ones until it reports that it can again.`,
        }
      : [],
  );
}
