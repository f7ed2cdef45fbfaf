// Hosts as admin commands print them.
import type { Host } from '../../../hosts/domain/host.js';
import { hostView } from '../../../hosts/http/host-view.js';

export function shown(host: Host) {
  return { json: hostView(host), text: `${host.hostId} is ${host.status}` };
}

/** @example '79.1 GiB free', '0.8 GiB free: takes no builds' */
export function diskText({ inventory, diskLow }: Host): string {
  if (inventory === null) return '';
  const free = `${(inventory.disk_free_bytes / 1024 ** 3).toFixed(1)} GiB free`;
  return diskLow ? `${free}: takes no builds` : free;
}
