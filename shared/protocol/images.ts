// Images that Macs are created from: what hosts should have of them, and what they have.
import { z } from 'zod';
import { digest, displayText, firstOf, imageName, messageBeside, sound } from './kinds.js';

const offered = () => firstOf(displayText(100), 200);

/** What a Mac of the image can have, as the host read it from a Mac made from this digest. */
export const imageOffers = z.object({
  macos: displayText(64),
  xcodes: firstOf(z.object({ version: displayText(64), build: displayText(64).nullable() }), 100),
  /** Simulator runtimes, e.g. `iOS 26.1`. */
  runtimes: offered(),
  tools: offered(),
});
export type ImageOffers = z.infer<typeof imageOffers>;

/** How far a fetch is. Bytes are compressed ones, as they are transferred. */
export const imageProgress = z.object({
  percent: z.int().min(0).max(100),
  /** Null: unknown. */
  bytes: z.int().min(0).nullable(),
  total_bytes: z.int().min(0).nullable(),
});
export type ImageProgress = z.infer<typeof imageProgress>;

/** What the host has of an image. */
export const imageFact = z.object({
  /** As in the desire. */
  image: imageName(),
  /** What is on the host, or is being fetched; null: not known yet, or the driver has no digests. */
  digest: digest().nullable().default(null),
  /** failed: the last attempt to fetch it; tried again on request and before a Mac needs it. */
  state: z.enum(['absent', 'pulling', 'ready', 'failed']),
  /** Of the fetch; null: none is running, or it is unknown. */
  percent: z.int().min(0).max(100).nullable().default(null),
  /** What the fetch has transferred, and will have; null or missing: none is running, or it is unknown. */
  fetched_bytes: z.int().min(0).nullable().optional(),
  fetch_bytes: z.int().min(0).nullable().optional(),
  /** Size on the host's disk. */
  bytes: z.int().min(0).nullable().default(null),
  error: displayText(600).nullable().default(null),
  /** The same as a message; missing from older hosts. */
  error_message: messageBeside(600),
  /** Null until the image has been inspected, once per digest. */
  offers: imageOffers.nullable().default(null),
});
export type ImageFact = z.infer<typeof imageFact>;

/**
 * What the host has of every desired image: the whole list, sent when an entry changes and after a desire with other
 * images. Larger than the number of images that tiers name.
 */
export const imageFacts = () => sound(imageFact, 1000).optional();

/** An image that some tier names. Others may be deleted from the host's cache. */
export const desiredImage = z.object({
  image: z.string(),
  /** What the image's tag was resolved to; null: not resolved yet, so the host resolves it and reports the digest. */
  digest: z.string().nullable(),
  /** Fetch it now instead of when a Mac needs it. */
  pull: z.boolean(),
});
export type DesiredImage = z.infer<typeof desiredImage>;
