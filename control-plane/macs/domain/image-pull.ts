// A pull: an operator's request that a host fetches the image of a tier. Several hosts take turns.
import { imageError } from '../../../shared/messages/image-errors.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Host } from '../../hosts/domain/host.js';
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';
import { storedMessage } from '../../platform/domain/stored-message.js';
import type { Tier } from './tier.js';

export type PullStatus = 'queued' | 'running' | 'done' | 'failed';

/** Times in ms since the epoch. */
export const imagePullFields = {
  hostId: text(),
  tier: text(),
  status: text<PullStatus>(),
  /** Why it failed. */
  errorMessage: storedMessage().orNull.initially(null),
  /** The same as text. */
  error: text().orNull,
  createdAt: int(),
  startedAt: int().orNull,
  endedAt: int().orNull,
};
export type ImagePull = RecordOf<typeof imagePullFields>;

/** What a host last reported of the image. */
export interface SeenImage {
  readonly state: 'absent' | 'pulling' | 'ready' | 'failed';
  readonly error: Message | null;
  readonly changedAt: number;
  /** It can be cloned, in the digest of the tier. */
  readonly holds: boolean;
}

export type PullStep =
  | { readonly does: 'wait'; readonly until: number | null }
  /** It can start as soon as fewer pulls run than the limit. */
  | { readonly does: 'start' }
  /** Its host is gone; others go first. */
  | { readonly does: 'requeue' }
  | { readonly does: 'finish' }
  | { readonly does: 'fail'; readonly error: Message };

/** Returns the next step of a pull that has not ended. */
export function decidePull(
  pull: Pick<ImagePull, 'status' | 'startedAt'>,
  tier: Pick<Tier, 'tier' | 'image' | 'imageDigest'>,
  host: Pick<Host, 'status' | 'connected' | 'tier'>,
  seen: SeenImage | null,
  now: number,
  limits: Pick<Limits, 'image_pull_silent_ms'>,
): PullStep {
  if (host.status === 'removed') return { does: 'fail', error: imageError('host_removed') };
  if (host.tier !== tier.tier) return { does: 'fail', error: imageError('host_of_other_tier', { tier: tier.tier }) };
  if (tier.image === null) return { does: 'fail', error: imageError('tier_without_image') };
  const startedAt = pull.status === 'running' ? (pull.startedAt ?? now) : null;
  const isNews = startedAt !== null && seen !== null && seen.changedAt >= startedAt;
  // Until the tag is resolved, what a host has may be older than the tag.
  if (seen?.holds && (tier.imageDigest !== null || isNews)) return { does: 'finish' };
  if (startedAt === null) return host.connected ? { does: 'start' } : { does: 'wait', until: null };
  if (!host.connected) return { does: 'requeue' };
  if (isNews && seen.state === 'failed') {
    return { does: 'fail', error: seen.error ?? imageError('no_reason') };
  }
  const silentAt = Math.max(startedAt, seen?.changedAt ?? 0) + limits.image_pull_silent_ms;
  if (silentAt > now) return { does: 'wait', until: silentAt };
  const minutes = Math.round(limits.image_pull_silent_ms / 60_000);
  return { does: 'fail', error: imageError('no_progress', { minutes }) };
}

/**
 * Returns which of the pulls that could start now may, in the order of their turns. While the tag of an image is not
 * resolved, one host fetches it alone, so that the others fetch the same digest.
 */
export function admitted<P extends Pick<ImagePull, 'tier'>>(
  waiting: readonly P[],
  running: readonly Pick<ImagePull, 'tier'>[],
  resolved: (tier: string) => boolean,
  limits: Pick<Limits, 'image_pulls_at_once'>,
): P[] {
  const busy = running.map(({ tier }) => tier);
  const chosen: P[] = [];
  for (const pull of waiting) {
    if (busy.length >= limits.image_pulls_at_once) break;
    if (!resolved(pull.tier) && busy.includes(pull.tier)) continue;
    busy.push(pull.tier);
    chosen.push(pull);
  }
  return chosen;
}
