// Seeds `cidermill dev`: a demo account with keys and a person, a tier, a host, rented Macs.
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { Inventory } from '../../shared/protocol/index.js';
import type { ApiKeys } from '../access/app/api-keys.js';
import type { Organizations } from '../access/app/organizations.js';
import type { Users } from '../access/app/users.js';
import type { Hosts } from '../hosts/app/hosts.js';
import type { Tiers } from '../macs/app/tiers.js';
import type { Rentals } from '../renting/app/rentals.js';

export interface Demo {
  api_key: string;
  read_key: string;
  email: string;
  password: string;
  org_id: string;
  workspace_id: string;
}

export interface SeedDeps {
  organizations: Organizations;
  apiKeys: ApiKeys;
  users: Users;
  tiers: Tiers;
  hosts: Hosts;
  rentals: Rentals;
}

/** The kind of Mac that this machine offers. */
export const DEV_TIER = 'local';
const DEV_PRICE_WON = 10_000;
const DEV_HOURS = 720;
const DEMO_SLUG = 'demo';

/**
 * Creates what is missing, and keeps what exists.
 *
 * @param before what an earlier run on the same data has left; its keys and sign-in are kept
 */
export async function seedAccount<T extends Demo>(deps: SeedDeps, before: T | null): Promise<T | Demo> {
  const { organizations, apiKeys, users } = deps;
  if (before && (await organizations.list()).some((org) => org.orgId === before.org_id)) return before;

  const org = await organizations.create({
    name: 'Demo',
    slug: `${DEMO_SLUG}-${randomBytes(3).toString('hex')}`,
  });
  const owner = { accountId: org.id, workspaceId: org.workspaceId };
  const full = await apiKeys.create({ ...owner, name: 'demo', levels: ['read', 'build', 'manage'] });
  const read = await apiKeys.create({ ...owner, name: 'demo, read only', levels: ['read'] });
  const password = randomBytes(12).toString('base64url');
  const email = `owner-${org.id}@demo.invalid`;
  await users.create({ email, password, operator: true, membership: { accountId: org.id, role: 'owner' } });
  return {
    api_key: full.key,
    read_key: read.key,
    email,
    password,
    org_id: org.orgId,
    workspace_id: org.workspaceId,
  };
}

/** Creates the tier of this machine, or changes its image. */
export async function seedTier({ tiers }: Pick<SeedDeps, 'tiers'>, image: string | null): Promise<void> {
  const present = (await tiers.list()).find(({ tier }) => tier === DEV_TIER);
  if (!present) {
    const spec = image === null ? {} : sizeOfVms(os.availableParallelism(), os.totalmem());
    await tiers.add(DEV_TIER, { name: 'Local Mac', priceWon: DEV_PRICE_WON, image, spec });
  } else if (present.image !== image) await tiers.edit(DEV_TIER, { image });
}

/**
 * Returns the size of each of two virtual machines on this machine. macOS needs 4 cores and 4 GB to be usable.
 *
 * @example sizeOfVms(10, 32 * 2 ** 30) // { cpu_cores: 5, memory_gb: 12 }
 */
export function sizeOfVms(cores: number, memoryBytes: number): { cpu_cores: number; memory_gb: number } {
  const memory_gb = Math.floor((memoryBytes / 2 ** 30) * 0.4);
  return { cpu_cores: Math.max(4, Math.floor(cores / 2)), memory_gb: Math.max(4, memory_gb) };
}

/** Gives the host `macs + free` slots, and rents the first `macs` of them to the demo account for 30 days. */
export async function seedMacs(
  deps: SeedDeps,
  demo: Demo,
  hostId: string,
  { macs, free }: { macs: number; free: number },
): Promise<void> {
  const slots = await deps.hosts.ensureSlots(hostId, macs + free);
  const org = await deps.organizations.find(demo.org_id);
  const rented = { accountId: org.id, tier: DEV_TIER, xcode: null, hours: DEV_HOURS };
  for (const slot of slots.slice(0, macs)) await deps.rentals.create({ ...rented, slotId: slot.slotId });
}

/** Fills in the tier from this machine: CPU and memory unless already set, and every Xcode found. */
export async function describeTier({ tiers }: Pick<SeedDeps, 'tiers'>, inventory: Inventory): Promise<void> {
  const tier = (await tiers.list()).find(({ tier }) => tier === DEV_TIER);
  if (!tier) return;
  const { spec, xcodeVersions: known } = tier;
  const found = inventory.xcodes.map(({ version }) => version).filter((version) => !known.includes(version));
  await tiers.edit(DEV_TIER, {
    spec: {
      chip: spec.chip || inventory.arch,
      cpu_cores: spec.cpu_cores || inventory.cpu_cores,
      memory_gb: spec.memory_gb || Math.round(inventory.memory_bytes / 2 ** 30),
    },
    xcodeVersions: [...known, ...new Set(found)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
  });
}
