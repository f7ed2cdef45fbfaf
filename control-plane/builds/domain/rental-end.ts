// Decides what happens to an account's builds when the rental of one of its Macs ends
// (docs/adr/0005-builds-at-the-end-of-a-rental.md).

import { isActive, type Mac } from '../../macs/domain/mac.js';
import type { EndReason } from './build.js';
import { fits, freeMacFor, inRental } from './placement.js';
import type { QueuedBuild } from './queue.js';

export type WaitingForMac = QueuedBuild & { readonly queueUntilRental: boolean };

export interface RentalEndInput<B extends WaitingForMac> {
  readonly rentalId: string;
  /** The account's Macs whose rentals have not ended; the one that is ending is ignored. */
  readonly macs: readonly Mac[];
  /** The build that runs on the Mac. */
  readonly running: (QueuedBuild & { readonly stopRequested: boolean }) | null;
  readonly queued: readonly B[];
  readonly now: number;
}

export type RunningFate =
  /** The build restarts on this Mac at once. */
  | { readonly action: 'move'; readonly mac: Mac }
  /** The build goes back to the head of the queue: a suitable Mac exists but is not free. */
  | { readonly action: 'requeue' }
  /** The build is stopped with the reason `rental_ended`. */
  | { readonly action: 'stop' }
  /** The build is already being stopped for another reason, which it keeps. */
  | { readonly action: 'none' };

export interface Expiry<B> {
  readonly waiting: B;
  readonly reason: Extract<EndReason, 'pinned_mac_ended' | 'no_mac_left'>;
}

export interface RentalEndDecision<B> {
  readonly running: RunningFate;
  readonly expire: readonly Expiry<B>[];
}

export function decideRentalEnd<B extends WaitingForMac>(input: RentalEndInput<B>): RentalEndDecision<B> {
  const { running, now } = input;
  const others = input.macs.filter((mac) => mac.rentalId !== input.rentalId && isActive(mac));
  const expire = input.queued.flatMap((waiting): Expiry<B>[] => {
    if (waiting.pinnedRentalId === input.rentalId) return [{ waiting, reason: 'pinned_mac_ended' }];
    const stranded = waiting.pinnedRentalId === null && others.length === 0 && !waiting.queueUntilRental;
    return stranded ? [{ waiting, reason: 'no_mac_left' }] : [];
  });
  return { running: running ? fateOf(running, others, now) : { action: 'none' }, expire };
}

function fateOf(
  build: NonNullable<RentalEndInput<WaitingForMac>['running']>,
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
