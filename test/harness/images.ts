// Images as hosts report them.
import type { ImageFact, ImageOffers } from '../../shared/protocol/index.js';

/** @param hex one hexadecimal digit */
export const digestOf = (hex: string) => `sha256:${hex.repeat(64)}`;

/** Returns the fact of a complete image. */
export const imageFact = (given: Partial<ImageFact> = {}): ImageFact => ({
  image: 'macos:26',
  digest: digestOf('a'),
  state: 'ready',
  percent: null,
  bytes: 2 ** 35,
  error: null,
  offers: null,
  ...given,
});

/** @param given.xcodes versions */
export function offers(given: Partial<Omit<ImageOffers, 'xcodes'>> & { xcodes?: readonly string[] } = {}): ImageOffers {
  const { xcodes = ['26.0', '26.1'], ...rest } = given;
  return {
    macos: '26.1',
    runtimes: ['iOS 26.1'],
    tools: ['tuist'],
    ...rest,
    xcodes: xcodes.map((version) => ({ version, build: `17A${version}` })),
  };
}
