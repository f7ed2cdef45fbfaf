// Hosts and their slots. The control plane opens the link to hosts once it listens.
import { blockedHostDegradations } from '../hosts/app/blocked-hosts.js';
import { hostDiskDegradations } from '../hosts/app/disk-degradations.js';
import { createHosts } from '../hosts/app/hosts.js';
import { hostWorkers } from '../hosts/workers/table.js';
import type { Base } from './platform.js';

export function composeHosts(base: Base) {
  return {
    hosts: createHosts(base),
    workers: hostWorkers(base),
    degradations: [() => hostDiskDegradations(base.store), () => blockedHostDegradations(base.store)],
  };
}
