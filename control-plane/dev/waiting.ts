// What `cidermill dev` prints while virtual machines are created: fetching an image can take an hour.
import type { ImageOfTier, ImagePulls } from '../macs/app/image-pulls.js';
import { DEV_TIER } from './seed.js';

/**
 * Returns one line about the host: why it does not create Macs, or its progress.
 *
 * @example waitingLine(await images.show('local')) // 'fetching ghcr.io/acme/macos:26: 34 %'
 */
export function waitingLine({ tier, hosts }: ImageOfTier): string {
  const [on] = hosts;
  const blocked = on?.host.inventory?.blocked;
  if (blocked) return `this host cannot create Macs now: ${blocked.message}`;
  if (on?.image?.state === 'pulling') return `fetching ${tier.image}: ${on.image.percent ?? 0} %`;
  if (on?.image?.state === 'failed') return `${tier.image} cannot be fetched: ${on.image.error}`;
  return 'creating the virtual machines';
}

/** Returns a function that prints the line when it has changed. */
export function printWaiting(images: Pick<ImagePulls, 'show'>, print: (line: string) => void) {
  let printed = '';
  return async () => {
    const line = waitingLine(await images.show(DEV_TIER));
    if (line !== printed) print(line);
    printed = line;
  };
}
