// A host that can upgrade itself, as it reports itself.
import type { HostUpgrade, Inventory } from '../../shared/protocol/index.js';

export const inventory: Inventory = {
  hostname: 'm',
  os: 'macOS 26',
  arch: 'arm64',
  cpu_cores: 8,
  memory_bytes: 1,
  disk_free_bytes: 2 ** 40,
  driver: 'tart',
  xcodes: [],
};
export const idle: HostUpgrade = {
  able: true,
  platform: 'darwin-arm64',
  attempt: null,
  version: null,
  state: 'idle',
  error: null,
};
