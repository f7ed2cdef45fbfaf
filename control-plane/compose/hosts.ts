// Hosts and their slots; the link to them is opened by the control plane once it listens.
import { hostDiskDegradations } from '../hosts/app/disk-degradations.js';
import { createHosts } from '../hosts/app/hosts.js';
import type { Base } from './platform.js';

export function composeHosts(base: Base) {
  return {
    hosts: createHosts(base),
    degradations: [() => hostDiskDegradations(base.store)],
  };
}
