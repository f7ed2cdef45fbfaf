// A tier and a machine as most tests have them; a test names only what it is about.
import type { Tier } from '../../control-plane/macs/domain/tier.js';
import type { Inventory } from '../../shared/protocol/index.js';

export const m4: Tier = {
  tier: 'm4',
  name: 'Mac mini M4',
  priceWon: 10_000,
  xcodeVersions: [],
  defaultXcode: null,
  runtimes: [],
  tools: [],
  image: null,
  salesOpen: true,
  maxDays: 30,
  imageDigest: null,
  replacedDigest: null,
  fromImage: [],
  spec: { chip: 'M4', cpu_cores: 8, memory_gb: 16, disk_gb: 100, macos: '15' },
};

export const machine: Inventory = {
  hostname: 'test-mac',
  os: 'macOS 15',
  arch: 'arm64',
  cpu_cores: 8,
  memory_bytes: 2 ** 34,
  disk_free_bytes: 2 ** 40,
  driver: 'local',
  xcodes: [],
};
