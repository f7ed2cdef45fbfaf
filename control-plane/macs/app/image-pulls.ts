// Operators' requests that hosts fetch the image of a tier before a Mac needs it. Rows of the database, so that they
// survive restarts; a worker starts and ends them.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import type { Message } from '../../../shared/messages/message.js';
import type { DesiredImage, ImageOffers } from '../../../shared/protocol/index.js';
import { findHost, listHosts } from '../../hosts/app/hosts.js';
import type { Host } from '../../hosts/domain/host.js';
import { refusedChange } from '../../hosts/domain/host-refusal.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';
import { storedError } from '../../platform/domain/stored-message.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { admitted, decidePull, type ImagePull, type SeenImage } from '../domain/image-pull.js';
import type { Tier } from '../domain/tier.js';
import { holdsImage, namedImages } from '../domain/tier-image.js';
import { changePull, queuePull, readOpenPulls, readPullsOf, readRunningPulls } from '../store/image-pulls.js';
import { findOffers, type HostImage, readAllImages } from '../store/images.js';
import { findTier, listTiers } from '../store/tiers.js';

export interface ImagePullsDeps extends Pick<Core, 'store' | 'clock' | 'wake'> {
  readonly limits: Pick<Limits, 'image_pulls_at_once' | 'image_pull_silent_ms'>;
}

/** Returns every image that tiers name, and whether this host should fetch it now. */
export async function desiredImages(q: Queries, hostId: string): Promise<DesiredImage[]> {
  const tiers = await listTiers(q);
  const running = await readRunningPulls(q, hostId);
  const pulled = namedImages(tiers.filter(({ tier }) => running.has(tier)));
  return namedImages(tiers).map((named) => ({
    ...named,
    pull: pulled.some(({ image, digest }) => image === named.image && digest === named.digest),
  }));
}

/** A host of the tier, what it has of the tier's image, and its last pull. */
export interface ImageOnHost {
  readonly host: Host;
  readonly image: HostImage | null;
  readonly holds: boolean;
  readonly pull: ImagePull | null;
}

export interface ImageOfTier {
  readonly tier: Tier;
  /** Null until a host has reported them for the tier's digest. */
  readonly offers: ImageOffers | null;
  /** Hosts in service. */
  readonly hosts: readonly ImageOnHost[];
}

export type ImagePulls = ReturnType<typeof createImagePulls>;

export function createImagePulls({ store, clock, wake }: Omit<ImagePullsDeps, 'limits'>) {
  const show = async (tier: Tier): Promise<ImageOfTier> => {
    const pulls = await readPullsOf(store, tier.tier);
    const images = await readAllImages(store);
    const hosts = (await hostsOf(store, tier.tier)).map((host) => {
      const image = imageOf(tier, images, host.hostId);
      const pull = pulls.find((one) => one.hostId === host.hostId) ?? null;
      return { host, image, holds: image !== null && holdsImage(tier, image), pull };
    });
    const digest = tier.imageDigest;
    return { tier, offers: digest === null ? null : await findOffers(store, tier.tier, digest), hosts };
  };
  return {
    /** Returns the image of the tier. Throws invalid_tier. */
    show: async (id: string): Promise<ImageOfTier> => show(await existing(store, id)),
    /** Returns the images of all tiers that have one. */
    async list(): Promise<readonly ImageOfTier[]> {
      const named = (await listTiers(store)).filter(({ image }) => image !== null);
      return Promise.all(named.map(show));
    },

    /**
     * Queues a pull on every host of the tier in service, or on one; a pull that has not ended goes on. Returns the ids of
     * the hosts. `done` runs in the transaction.
     *
     * @throws ApiError invalid_tier, host_not_found, host_state, invalid_request
     */
    request: (id: string, hostId: string | null, done?: InTransaction<readonly string[]>): Promise<readonly string[]> =>
      store.transaction(async (tx) => {
        const tier = await existing(tx, id);
        if (tier.image === null) throw invalid(fieldProblem('tier_without_image', { tier: id }));
        const hosts = hostId === null ? await hostsOf(tx, id) : [await hostOf(tx, id, hostId)];
        if (hosts.length === 0) throw invalid(fieldProblem('tier_without_hosts', { tier: id }));
        const open = (await readOpenPulls(tx)).filter((pull) => pull.tier === id);
        for (const host of hosts) {
          if (open.some((pull) => pull.hostId === host.hostId)) continue;
          await queuePull(tx, { hostId: host.hostId, tier: id, createdAt: clock.now() });
        }
        tx.onCommit(() => wake.wake('images'));
        const hostIds = hosts.map((host) => host.hostId);
        await done?.(tx, hostIds);
        return hostIds;
      }),
  };
}

/**
 * Starts the pulls that are next, and ends those that are done or have failed.
 *
 * @returns when the next one has been silent for too long, or null
 */
export async function advancePulls(deps: ImagePullsDeps): Promise<number | null> {
  const { store, clock, limits } = deps;
  const open = await readOpenPulls(store);
  if (open.length === 0) return null;
  const now = clock.now();
  const tiers = new Map((await listTiers(store)).map((tier) => [tier.tier, tier]));
  const hosts = new Map((await listHosts(store)).map((host) => [host.hostId, host]));
  const images = await readAllImages(store);
  const startable: ImagePull[] = [];
  const running: ImagePull[] = [];
  let nextAt: number | null = null;
  for (const pull of open) {
    const [tier, host] = [tiers.get(pull.tier), hosts.get(pull.hostId)];
    if (!tier || !host) throw new Error(`the pull of ${pull.tier} on ${pull.hostId} has no tier or host`);
    const step = decidePull(pull, tier, host, seen(tier, imageOf(tier, images, host.hostId)), now, limits);
    if (step.does === 'finish') await end(deps, pull, 'done', null);
    if (step.does === 'fail') await end(deps, pull, 'failed', step.error);
    if (step.does === 'requeue') await change(deps, pull, { status: 'queued', startedAt: null });
    if (step.does === 'start') startable.push(pull);
    if (step.does === 'wait' && pull.status === 'running') running.push(pull);
    if (step.does === 'wait' && step.until !== null) nextAt = Math.min(nextAt ?? step.until, step.until);
  }
  const resolved = (tier: string) => tiers.get(tier)?.imageDigest !== null;
  for (const pull of admitted(startable, running, resolved, limits)) {
    await change(deps, pull, { status: 'running', startedAt: now });
    const silentAt = now + limits.image_pull_silent_ms;
    nextAt = Math.min(nextAt ?? silentAt, silentAt);
  }
  return nextAt;
}

const end = (deps: ImagePullsDeps, pull: ImagePull, status: 'done' | 'failed', error: Message | null) =>
  change(deps, pull, {
    status,
    error: error?.text ?? null,
    errorMessage: error,
    endedAt: deps.clock.now(),
  });

async function change(
  { store, wake }: ImagePullsDeps,
  pull: ImagePull,
  changes: Parameters<typeof changePull>[2],
): Promise<void> {
  await store.transaction(async (tx) => {
    if (!(await changePull(tx, pull, changes))) return;
    tx.onCommit(() => wake.wake('host', pull.hostId));
  });
}

const imageOf = (tier: Tier, images: readonly HostImage[], hostId: string): HostImage | null => {
  const same = images.filter((one) => one.hostId === hostId && one.image === tier.image);
  return same.find((one) => one.digest === tier.imageDigest) ?? same[0] ?? null;
};

const seen = (tier: Tier, image: HostImage | null): SeenImage | null =>
  image && { ...image, error: storedError(image), holds: holdsImage(tier, image) };

async function existing(q: Queries, id: string): Promise<Tier> {
  const tier = await findTier(q, id);
  if (!tier) throw new ApiError('invalid_tier', { message: `There is no tier ${id}.` });
  return tier;
}

async function hostsOf(q: Queries, tier: string): Promise<Host[]> {
  const hosts = await listHosts(q);
  return hosts.filter((host) => host.tier === tier && host.status !== 'pending' && host.status !== 'removed');
}

async function hostOf(tx: Transaction, tier: string, hostId: string): Promise<Host> {
  const host = await findHost(tx, hostId);
  if (!host) throw new ApiError('host_not_found');
  if (host.tier === tier && host.status !== 'removed') return host;
  throw refusedChange(hostRefusal('of_other_tier', { tier }));
}

const invalid = (problem: Message) => fieldError('invalid_request', 'tier', problem);
