// Hosts and their slots. The control plane opens the link to hosts once it listens.

import { blockedHostDegradations, hostDiskDegradations } from '../hosts/app/disk-degradations.js';
import { conflictDegradations } from '../hosts/app/host-conflicts.js';
import { upgradeDegradations } from '../hosts/app/host-upgrades.js';
import { createHosts } from '../hosts/app/hosts.js';
import { createRollouts } from '../hosts/app/rollouts.js';
import { shiftHosts } from '../hosts/store/open-spans.js';
import { hostWorkers } from '../hosts/workers/table.js';
import type { Packages } from '../packages/app/packages.js';
import type { Base } from './platform.js';

export function composeHosts(base: Base, packages: Packages) {
  const deps = { ...base, packages };
  return {
    hosts: createHosts(deps),
    rollouts: createRollouts(deps),
    workers: hostWorkers(deps),
    shiftSpans: shiftHosts,
    degradations: [
      () => hostDiskDegradations(base.store),
      () => blockedHostDegradations(base.store),
      () => upgradeDegradations(base.store),
      () => conflictDegradations(base.store),
    ],
  };
}
