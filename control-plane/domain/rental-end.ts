// What becomes of an account's builds when the rental of one of its Macs ends (docs/adr/0005-rental-end.md).
import type { EndReason } from './build.js';
import { fits, freeMacFor, inRental } from './placement.js';
import type { QueuedBuild } from './queue.js';
import { isActive, type Mac } from './rental.js';

export interface RentalEndInput {
  readonly rentalId: string;
  /** The account's Macs whose rentals have not ended; the one that ends is passed over. */
  readonly macs: readonly Mac[];
  /** The build that runs on the Mac. */
  readonly running: (QueuedBuild & { readonly stopRequested: boolean }) | null;
  readonly queued: readonly (QueuedBuild & { readonly queueUntilRental: boolean })[];
  readonly now: number;
}

export type RunningFate =
  /** Runs again, at once, on this Mac. */
  | { readonly action: 'move'; readonly mac: Mac }
  /** Back to the head of the queue: a Mac that fits exists, but is not free. */
  | { readonly action: 'requeue' }
  /** Is stopped; its end is `rental_ended`. */
  | { readonly action: 'stop' }
  /** Is being stopped for another reason, which stays. */
  | { readonly action: 'none' };

export interface Expiry {
  readonly buildId: string;
  readonly reason: Extract<EndReason, 'pinned_mac_ended' | 'no_mac_left'>;
}

export interface RentalEndDecision {
  readonly running: RunningFate;
  readonly expire: readonly Expiry[];
}

export function decideRentalEnd(input: RentalEndInput): RentalEndDecision {
  const { running, now } = input;
  const others = input.macs.filter((mac) => mac.rentalId !== input.rentalId && isActive(mac));
  const expire = input.queued.flatMap((build): Expiry[] => {
    const { buildId } = build;
    if (build.pinnedRentalId === input.rentalId) return [{ buildId, reason: 'pinned_mac_ended' }];
    const stranded = build.pinnedRentalId === null && others.length === 0 && !build.queueUntilRental;
    return stranded ? [{ buildId, reason: 'no_mac_left' }] : [];
  });
  return { running: running ? fateOf(running, others, now) : { action: 'none' }, expire };
}

function fateOf(
  build: NonNullable<RentalEndInput['running']>,
  others: readonly Mac[],
  now: number,
): RunningFate {
  if (build.stopRequested) return { action: 'none' };
  if (build.pinnedRentalId !== null) return { action: 'stop' };
  const mac = freeMacFor(build, others, now);
  if (mac) return { action: 'move', mac };
  return others.some((other) => fits(other, build) && inRental(other, now))
    ? { action: 'requeue' }
    : { action: 'stop' };
}
