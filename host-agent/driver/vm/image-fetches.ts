// Fetches of images: one after another, each shared by all who wait for it.
import { imageError } from '../../../shared/messages/image-errors.js';
import type { Message } from '../../../shared/messages/message.js';
import { saidBy } from '../../../shared/messages/said.js';
import { serial } from '../../system/serial.js';
import type { VmContext } from './context.js';
import { refOfDigest, repositoryOf } from './image-names.js';
import { type CachedImage, type FetchProgress, VmToolError } from './tool.js';

export interface ImageOnHost {
  /** As it was asked for. */
  readonly ref: string;
  readonly digest: string;
  readonly diskBytes: number | null;
  readonly usedBytes: number;
}

export interface Fetch {
  progress: FetchProgress;
  readonly done: Promise<ImageOnHost>;
  readonly listeners: Set<(progress: FetchProgress) => void>;
}

export type ImageFetches = ReturnType<typeof createImageFetches>;

type Report = (progress: FetchProgress) => void;

const keyOf = (ref: string, digest: string | null) => `${ref}\n${digest ?? ''}`;

/** Returns the image of this repository and digest, or null. */
export function findImage(cached: readonly CachedImage[], ref: string, digest: string): ImageOnHost | null {
  const repository = repositoryOf(ref);
  const found = cached.find((one) => one.digest === digest && repositoryOf(one.ref) === repository);
  return found ? { ref, digest, diskBytes: found.diskBytes, usedBytes: found.bytes } : null;
}

/**
 * @param on.changed called when there is progress, and when a fetch has ended
 * @param on.room makes room for this many bytes, or throws
 * @param on.fetched called with every image that was fetched
 */
export function createImageFetches(
  context: VmContext,
  on: { changed: () => void; room: (bytes: number) => Promise<void>; fetched: (image: ImageOnHost) => void },
) {
  const { tool, knowledge, limits, blocks, log } = context;
  const inTurn = serial();
  const stop = new AbortController();
  const fetches = new Map<string, Fetch>();
  const failures = new Map<string, Message>();

  const fetch = async (ref: string, digest: string | null, progress: Report) => {
    stop.signal.throwIfAborted();
    if (digest !== null) {
      const there = findImage(await tool.images(), ref, digest);
      if (there) return there;
    }
    await on.room(limits.pullBytes);
    const name = digest === null ? ref : refOfDigest(ref, digest);
    // Recorded before it exists, so that even a partial image counts as this agent's.
    knowledge.addFetched([ref, name]);
    log.info({ image: name }, 'fetching an image');
    const found = await tool.pull({ ref, digest }, { progress, signal: stop.signal });
    knowledge.addFetched([refOfDigest(ref, found.digest)]);
    const image = findImage(await tool.images(), ref, found.digest);
    if (image === null || (digest !== null && found.digest !== digest)) {
      throw new VmToolError('failed', imageError('not_in_cache', { image: name, digest: found.digest }));
    }
    return image;
  };
  const failed = (key: string, ref: string, error: unknown) => {
    if (stop.signal.aborted) return;
    // A full disk blocks only Macs of this image. Creating such a Mac fails with the same error, which is reported there.
    if (error instanceof VmToolError && error.code !== 'disk_full') blocks.report(error);
    failures.set(key, saidBy(error));
    log.error({ err: error, image: ref }, 'cannot fetch an image');
  };

  return {
    /** Returns the fetch in progress, or null. */
    going: (ref: string, digest: string | null): Fetch | null => fetches.get(keyOf(ref, digest)) ?? null,
    any: () => fetches.size > 0,
    /** Fetches an image. Joins a fetch of the same in progress. */
    start(ref: string, digest: string | null) {
      const key = keyOf(ref, digest);
      const going = fetches.get(key);
      if (going) return going;
      const progress: Report = (value) => {
        if (JSON.stringify(value) === JSON.stringify(begun.progress)) return;
        begun.progress = value;
        for (const listener of begun.listeners) listener(value);
        on.changed();
      };
      const begun: Fetch = {
        progress: { percent: 0, bytes: null, totalBytes: null },
        done: inTurn(() => fetch(ref, digest, progress)),
        listeners: new Set(),
      };
      fetches.set(key, begun);
      failures.delete(key);
      begun.done
        .then(on.fetched, (error: unknown) => failed(key, ref, error))
        .finally(() => {
          fetches.delete(key);
          on.changed();
        });
      on.changed();
      return begun;
    },
    /** Returns why the last fetch failed, or null. */
    failure: (ref: string, digest: string | null): Message | null => failures.get(keyOf(ref, digest)) ?? null,
    /** Stops the fetch in progress; a later fetch continues it. */
    async close() {
      stop.abort(new Error('the agent is stopping'));
      await Promise.allSettled([...fetches.values()].map((fetching) => fetching.done));
    },
  };
}
