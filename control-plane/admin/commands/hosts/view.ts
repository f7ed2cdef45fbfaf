// Hosts as admin commands print them.
import type { Host } from '../../../hosts/domain/host.js';

export function shown(host: Host) {
  return { json: view(host), text: `${host.hostId} is ${host.status}` };
}

/** @example '79.1 GiB free', '0.8 GiB free: takes no builds' */
export function diskText({ inventory, diskLow }: Host): string {
  if (inventory === null) return '';
  const free = `${(inventory.disk_free_bytes / 1024 ** 3).toFixed(1)} GiB free`;
  return diskLow ? `${free}: takes no builds` : free;
}

export const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

export function view(host: Host) {
  return {
    host_id: host.hostId,
    name: host.name,
    tier: host.tier,
    status: host.status,
    reason: host.reason,
    status_by: host.statusBy,
    status_at: isoTime(host.statusAt),
    labels: host.labels,
    shared: host.shared,
    driver: host.driver,
    agent_version: host.agentVersion,
    disk_free_bytes: host.inventory?.disk_free_bytes ?? null,
    disk_low: host.diskLow,
    blocked: host.blocked,
    connected: host.connected,
    last_seen_at: isoTime(host.lastSeenAt),
  };
}
