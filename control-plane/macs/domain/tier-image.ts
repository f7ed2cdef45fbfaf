// The image of a tier: which digest its tag stands for, and what the image offers to customers.
import type { DesiredImage, ImageFact, ImageOffers } from '../../../shared/protocol/index.js';
import type { Tier } from './tier.js';

/** Values of a tier that come from its image unless an operator gives them. */
export const fromImage = ['xcodes', 'default_xcode', 'runtimes', 'tools', 'macos'] as const;
export type FromImage = (typeof fromImage)[number];

/** Returns the digest that is part of a reference, or null. @example pinnedDigest('a/b@sha256:00…') // 'sha256:00…' */
export function pinnedDigest(image: string): string | null {
  return /@([a-z0-9]{1,20}:[0-9a-f]{32,128})$/.exec(image)?.[1] ?? null;
}

type TierImage = Pick<Tier, 'image' | 'imageDigest' | 'replacedDigest'>;

/** Returns the fields of a tier whose image was set. Its tag is resolved again, even if the image is the same. */
export function imageSet(before: TierImage, image: string | null): TierImage {
  const digest = image === null ? null : pinnedDigest(image);
  const resolved = before.imageDigest ?? before.replacedDigest;
  return {
    image,
    imageDigest: digest,
    replacedDigest: digest === null && image === before.image ? resolved : null,
  };
}

/**
 * Returns the digest to which the host's report resolves the tier's tag; null: the tag is already resolved, or the
 * report may come from a cache that is older than the operator's last change.
 *
 * @param before what the host reported last
 */
export function resolvedBy(
  tier: TierImage,
  fact: Pick<ImageFact, 'image' | 'digest' | 'state'>,
  before: Pick<ImageFact, 'state'> | undefined,
): string | null {
  if (tier.image === null || tier.imageDigest !== null || fact.image !== tier.image) return null;
  // Only a complete image resolves the tag: one that cannot be fetched cannot be cloned either.
  if (fact.state !== 'ready' || fact.digest === null) return null;
  const fetched = before !== undefined && before.state !== 'ready';
  return fact.digest === tier.replacedDigest && !fetched ? null : fact.digest;
}

/** Returns whether a report says that the host can clone the tier's image at once. */
export function holdsImage(
  { image, imageDigest }: Pick<Tier, 'image' | 'imageDigest'>,
  fact: Pick<ImageFact, 'image' | 'digest' | 'state'>,
): boolean {
  const same = imageDigest === null || fact.digest === imageDigest;
  return fact.image === image && fact.state === 'ready' && same;
}

/** Returns every image that tiers name, once with each digest. */
export function namedImages(tiers: readonly TierImage[]): Omit<DesiredImage, 'pull'>[] {
  const named = new Map<string, Omit<DesiredImage, 'pull'>>();
  for (const { image, imageDigest: digest } of tiers) {
    if (image !== null) named.set(`${image} ${digest}`, { image, digest });
  }
  return [...named.values()];
}

/**
 * Returns the reports that concern images of tiers, at most one for each: of its digest, else the first one of the
 * same image. In the order of the report.
 */
export function relevantFacts(named: readonly Omit<DesiredImage, 'pull'>[], facts: readonly ImageFact[]): ImageFact[] {
  const found = new Set<ImageFact>();
  for (const { image, digest } of named) {
    const same = facts.filter((fact) => fact.image === image);
    const fact = same.find((one) => one.digest === digest) ?? same[0];
    if (fact) found.add(fact);
  }
  return [...new Set(facts)].filter((fact) => found.has(fact));
}

/** Returns whether two hosts report the same contents of an image. */
export function sameOffers(a: ImageOffers, b: ImageOffers): boolean {
  const sorted = (names: readonly string[]) => [...names].sort();
  const comparable = (offers: ImageOffers) =>
    JSON.stringify({
      macos: offers.macos,
      runtimes: sorted(offers.runtimes),
      tools: sorted(offers.tools),
      xcodes: sorted(offers.xcodes.map(({ version, build }) => `${version} ${build}`)),
    });
  return comparable(a) === comparable(b);
}

/** Returns the tier, with the values that no operator has given taken from its image. */
export function withOffers(tier: Tier, offers: ImageOffers): Tier {
  const auto = (value: FromImage) => tier.fromImage.includes(value);
  const filled = {
    ...tier,
    xcodeVersions: auto('xcodes') ? offeredXcodes(offers) : tier.xcodeVersions,
    runtimes: auto('runtimes') ? unique(offers.runtimes) : tier.runtimes,
    tools: auto('tools') ? unique(offers.tools) : tier.tools,
    spec: auto('macos') ? { ...tier.spec, macos: offers.macos } : tier.spec,
  };
  const { defaultXcode, xcodeVersions } = filled;
  // A default that the image does not have could never be selected.
  const keeps = !auto('default_xcode') && defaultXcode !== null && xcodeVersions.includes(defaultXcode);
  return keeps ? filled : { ...filled, defaultXcode: defaultXcodeOf(filled) };
}

type Selectable = Pick<Tier, 'xcodeVersions' | 'runtimes' | 'tools'>;

/**
 * Returns what can be selected on a Mac: where the tier takes it from its image, what the image offers that the Mac was made
 * from.
 *
 * @param made null: unknown
 */
export function offeredOn(tier: Selectable & Pick<Tier, 'fromImage'>, made: ImageOffers | null): Selectable {
  const auto = (value: FromImage) => made !== null && tier.fromImage.includes(value);
  return {
    xcodeVersions: made && auto('xcodes') ? offeredXcodes(made) : tier.xcodeVersions,
    runtimes: made && auto('runtimes') ? unique(made.runtimes) : tier.runtimes,
    tools: made && auto('tools') ? unique(made.tools) : tier.tools,
  };
}

/** Oldest first. */
export function offeredXcodes({ xcodes }: Pick<ImageOffers, 'xcodes'>): string[] {
  return unique(xcodes.map(({ version }) => version)).sort(byVersion);
}

/** Returns the default if none is given: of the image's versions the newest stable one, of an operator's list the last. */
export function defaultXcodeOf(tier: Pick<Tier, 'fromImage' | 'xcodeVersions'>): string | null {
  const { xcodeVersions } = tier;
  return tier.fromImage.includes('xcodes') ? newestStable(xcodeVersions) : (xcodeVersions.at(-1) ?? null);
}

/** Returns the highest version without a suffix such as `-beta`; without one the highest. */
export function newestStable(versions: readonly string[]): string | null {
  const sorted = [...versions].sort(byVersion);
  return sorted.findLast((version) => /^\d+(\.\d+)*$/.test(version)) ?? sorted.at(-1) ?? null;
}

const byVersion = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

/** Returns the non-empty values without duplicates, in the given order. */
const unique = (names: readonly string[]): string[] => [...new Set(names)].filter((name) => name !== '');
