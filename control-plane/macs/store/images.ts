// Images of tiers: what each host has of them, and what they offer.

import type { ImageFact, ImageOffers } from '../../../shared/protocol/index.js';
import { bool, int, json, text } from '../../platform/domain/fields.js';
import { storedMessage } from '../../platform/domain/stored-message.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const hostImages = table(
  'host_images',
  {
    hostId: text(),
    image: text(),
    digest: text().orNull,
    state: text<ImageFact['state']>(),
    percent: int().orNull,
    /** What its fetch has transferred, and will have. */
    fetchedBytes: int().orNull,
    fetchBytes: int().orNull,
    bytes: int().orNull,
    errorMessage: storedMessage().orNull,
    /** The same as text. */
    error: text().orNull,
    /** Its offers differ from the first report for this digest and the host's tier. */
    differs: bool(),
    /** When the host first reported it so. */
    changedAt: int(),
  },
  { position: int() },
);
export type HostImage = Selected<typeof hostImages>;

export function readHostImages(q: Queries, hostId: string): Promise<HostImage[]> {
  return hostImages.all(q, 'WHERE host_id = :hostId ORDER BY position', { hostId });
}

/** Returns the images of all hosts. */
export function readAllImages(q: Queries): Promise<HostImage[]> {
  return hostImages.all(q, 'ORDER BY host_id, position');
}

/** Returns the hosts that report other offers of an image than the first host. */
export async function readDifferingImages(q: Queries): Promise<Set<string>> {
  const rows = await q.all<{ host_id: string }>('SELECT DISTINCT host_id FROM host_images WHERE differs = 1');
  return new Set(rows.map((row) => row.host_id));
}

/** Replaces all rows of a host. */
export async function replaceHostImages(tx: Transaction, hostId: string, images: readonly HostImage[]): Promise<void> {
  await tx.run('DELETE FROM host_images WHERE host_id = :hostId', { hostId });
  for (const [position, image] of images.entries()) await hostImages.insert(tx, { ...image, position });
}

export const imageOffers = table(
  'image_offers',
  {
    tier: text(),
    digest: text(),
    offers: json<ImageOffers>(),
    /** The host that reported them. */
    hostId: text(),
  },
  { createdAt: int() },
);

/** Returns what a digest of the tier's image offers, or null if no host of the tier has reported it. */
export async function findOffers(q: Queries, tier: string, digest: string): Promise<ImageOffers | null> {
  const found = await imageOffers.get(q, 'WHERE tier = :tier AND digest = :digest', { tier, digest });
  return found?.offers ?? null;
}

const putOffers = imageOffers.inserter({
  onConflict: `ON CONFLICT (tier, digest) DO UPDATE SET ${imageOffers.excluded('offers', 'hostId', 'createdAt')}`,
});

/** Records what a digest offers, replacing an earlier report. */
export async function recordOffers(
  tx: Transaction,
  offers: { tier: string; digest: string; offers: ImageOffers; hostId: string; now: number },
): Promise<void> {
  const { now, ...reported } = offers;
  await putOffers(tx, { ...reported, createdAt: now });
}
