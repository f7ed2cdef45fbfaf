// What hosts report of images. The first report of a host of the tier decides which digest the tag of its image stands
// for, and what that digest offers; other hosts then use the same digest.
import type { Log } from '../../../shared/log.js';
import type { ImageFact } from '../../../shared/protocol/index.js';
import { findHost, listHosts } from '../../hosts/app/hosts.js';
import { imagesChanged } from '../../hosts/app/slots.js';
import type { Core } from '../../platform/app/core.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Tier } from '../domain/tier.js';
import { holdsImage, namedImages, relevantFacts, resolvedBy, sameOffers, withOffers } from '../domain/tier-image.js';
import {
  findOffers,
  type HostImage,
  readDifferingImages,
  readHostImages,
  recordOffers,
  replaceHostImages,
} from '../store/images.js';
import { listTiers, putTier } from '../store/tiers.js';

export interface HostImagesDeps extends Pick<Core, 'store' | 'clock' | 'wake'> {
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Records the host's report about its images.
 *
 * @param whole false: part of the report could not be read; what it does not name stays as it was
 */
export type ImageFacts = (hostId: string, facts: readonly ImageFact[], whole?: boolean) => Promise<void>;

export function createImageFacts(deps: HostImagesDeps): ImageFacts {
  const { store, wake, clock } = deps;

  const apply = async (tx: Transaction, hostId: string, facts: readonly ImageFact[], whole: boolean): Promise<void> => {
    const now = clock.now();
    const report = await readReport(tx, hostId, { facts, whole }, now);
    if (!report.isNew) return;
    const { before, after, tier } = report;
    await replaceHostImages(tx, hostId, after);
    const changed = tier && (await learn(tx, deps, tier, report, now));
    const holds = (images: readonly HostImage[]) => tier !== null && images.some((one) => holdsImage(tier, one));
    if (changed) await imagesChanged(tx, { tier: changed.tier });
    else if (holds(before) !== holds(after)) await imagesChanged(tx, { hostId });
    tx.onCommit(() => {
      wake.wake('images', hostId);
      if (!changed) return;
      // Every host gets the digest.
      wake.wake('host');
      wake.wake('availability');
    });
  };

  return async (hostId, facts, whole = true) => {
    // Most reports change nothing, so check before opening a transaction.
    const { isNew } = await readReport(store, hostId, { facts, whole }, clock.now());
    if (isNew) await store.transaction((tx) => apply(tx, hostId, facts, whole));
  };
}

interface Report {
  readonly hostId: string;
  /** The host's tier, if its reports decide about the tier's image. */
  readonly tier: Tier | null;
  readonly facts: readonly ImageFact[];
  readonly before: readonly HostImage[];
  readonly after: readonly HostImage[];
  /** Whether the report changes anything. */
  readonly isNew: boolean;
}

async function readReport(
  q: Queries,
  hostId: string,
  { facts: reported, whole }: { readonly facts: readonly ImageFact[]; readonly whole: boolean },
  now: number,
): Promise<Report> {
  const tiers = await listTiers(q);
  const host = await findHost(q, hostId);
  const inService = host !== null && host.status !== 'pending' && host.status !== 'removed';
  const tier = (inService && tiers.find((one) => one.tier === host.tier)) || null;
  const facts = relevantFacts(namedImages(tiers), reported);
  const before = await readHostImages(q, hostId);
  const digest = tier?.imageDigest ?? null;
  const known = tier && digest !== null ? await findOffers(q, tier.tier, digest) : null;
  const about = (fact: Pick<ImageFact, 'image' | 'digest'>) => fact.image === tier?.image && fact.digest === digest;
  const unread = whole ? [] : before.filter((one) => !facts.some((fact) => fact.image === one.image));
  const read = facts.map(
    ({ offers, fetched_bytes = null, fetch_bytes = null, error_message = null, ...rest }): HostImage => {
      const sizes = { fetchedBytes: fetched_bytes, fetchBytes: fetch_bytes };
      const fact = { ...rest, ...sizes, errorMessage: error_message };
      const differs = known !== null && offers !== null && about(rest) && !sameOffers(known, offers);
      const same = before.find((one) => isSame(one, { ...fact, differs }));
      return same ?? { hostId, ...fact, differs, changedAt: now };
    },
  );
  const after = [...read, ...unread];
  const isOther = after.length !== before.length || after.some((one, n) => one !== before[n]);
  const decides =
    tier !== null &&
    facts.some((fact) => resolved(tier, fact, before) !== null || (!known && fact.offers !== null && about(fact)));
  return { hostId, tier, facts, before, after, isNew: isOther || decides };
}

const isSame = (a: Omit<HostImage, 'hostId' | 'changedAt'>, b: Omit<HostImage, 'hostId' | 'changedAt'>) =>
  a.image === b.image &&
  a.digest === b.digest &&
  a.state === b.state &&
  a.percent === b.percent &&
  a.fetchedBytes === b.fetchedBytes &&
  a.fetchBytes === b.fetchBytes &&
  a.bytes === b.bytes &&
  a.error === b.error &&
  JSON.stringify(a.errorMessage) === JSON.stringify(b.errorMessage) &&
  a.differs === b.differs;

function resolved(tier: Tier, fact: ImageFact, before: readonly HostImage[]): string | null {
  const same = before.filter((one) => one.image === fact.image);
  // Another tier may name the same image by its digest, which the host may already have.
  return resolvedBy(tier, fact, same.find((one) => one.digest === null) ?? same[0]);
}

/** Records the digest and the offers that the report is the first to name. Returns the changed tier, or null. */
async function learn(
  tx: Transaction,
  { log }: HostImagesDeps,
  tier: Tier,
  { hostId, facts, before }: Report,
  now: number,
): Promise<Tier | null> {
  const [digest = tier.imageDigest] = facts.flatMap((fact) => resolved(tier, fact, before) ?? []);
  if (digest === null) return null;
  const known = await findOffers(tx, tier.tier, digest);
  const fact = facts.find((one) => one.image === tier.image && one.digest === digest);
  const isResolved = digest !== tier.imageDigest;
  // The operator may have set the image again to correct what was recorded before.
  const offers = (isResolved ? fact?.offers : null) ?? known ?? fact?.offers ?? null;
  if (!isResolved && (known !== null || offers === null)) return null;
  if (offers !== null && offers !== known) {
    await recordOffers(tx, { tier: tier.tier, digest, offers, hostId, now });
  }
  const changed = { ...tier, imageDigest: digest, replacedDigest: null };
  await putTier(tx, offers === null ? changed : withOffers(changed, offers), now);
  log.info(
    { host_id: hostId, tier: tier.tier, image: tier.image, digest },
    "the digest or contents of a tier's image are known",
  );
  return changed;
}

/**
 * Returns a line for each host that reports other contents of its tier's image than the host that was first. One of the
 * two is wrong, so the catalog may offer versions that Macs do not have.
 */
export async function imageDegradations(store: Queries): Promise<Degradation[]> {
  const differing = await readDifferingImages(store);
  if (differing.size === 0) return [];
  const hosts = (await listHosts(store)).filter(({ status, hostId }) => status !== 'removed' && differing.has(hostId));
  return hosts.map(({ hostId, name, tier }) => ({
    name: 'image_offers',
    message: `Host ${name} (${hostId}) reports other contents of the image of tier ${tier} than the host that reported them first. Compare them with \`admin image show ${tier}\`; values given to \`tier edit\` replace what hosts report.`,
  }));
}
