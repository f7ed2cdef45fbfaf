// A host that can upgrade itself, as it reports itself.
import type { HostUpgrade, Inventory } from '../../shared/protocol/index.js';
import { machine } from './samples.js';

export const inventory: Inventory = { ...machine, os: 'macOS 26', driver: 'tart' };
export const idle: HostUpgrade = {
  able: true,
  platform: 'darwin-arm64',
  attempt: null,
  version: null,
  state: 'idle',
  error: null,
};
