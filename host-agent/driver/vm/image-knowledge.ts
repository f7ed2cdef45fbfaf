// What this host knows about images, in `images.json`: which ones it has fetched itself, how their guests are
// reached, and what they offer. Determined once per digest.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { readJson, writeDurably } from '../../../shared/durable-file.js';
import { isErrno } from '../../../shared/errno.js';
import type { Message } from '../../../shared/messages/message.js';
import { imageOffers } from '../../../shared/protocol/index.js';
import type { VmLimits } from '../../limits.js';
import { namesIn } from '../../system/names-in.js';
import type { VmSize } from './tool.js';
import { vmSize } from './vm-store.js';

const imageGuest = z.object({
  guest: z.enum(['exec', 'ssh']),
  user: z.string(),
  home: z.string(),
  offers: imageOffers,
});

const knowledge = z.object({
  /** References in the tool's cache that this agent put there, and may therefore delete. */
  fetched: z.array(z.string()).default([]).catch([]),
  /** By digest. An entry that is not valid is dropped and probed again; the others stay. */
  guests: z
    .record(z.string(), imageGuest.nullable().catch(null))
    .transform(
      (guests): Record<string, ImageGuest> =>
        Object.fromEntries(Object.entries(guests).flatMap(([digest, one]) => (one === null ? [] : [[digest, one]]))),
    )
    .default({})
    .catch({}),
  /** What the last Mac was made from. */
  last: z.object({ image: z.string(), digest: z.string(), size: vmSize }).nullable().default(null).catch(null),
});

/** What a Mac is made from. */
export interface Model {
  readonly image: string;
  readonly digest: string;
  readonly size: VmSize;
}

/** What was found in a guest of an image. */
export type ImageGuest = z.infer<typeof imageGuest>;

export type ImageKnowledge = ReturnType<typeof openImageKnowledge>;

/** @param on.changed called when `guestOf` or `unusable` returns something new, which is reported */
export function openImageKnowledge(
  dataDir: string,
  { changed, clock, limits }: { changed: () => void; clock: Clock; limits: Pick<VmLimits, 'unusableMs'> },
) {
  const file = path.join(dataDir, 'images.json');
  const baselines = path.join(dataDir, 'baselines');
  const baselineFile = (digest: string) => path.join(baselines, digest.replace(':', '-'));
  const unusable = new Map<string, { reason: Message; until: number }>();
  // Read each time: build processes read what the daemon writes.
  const read = () => knowledge.safeParse(readJson(file) ?? {}).data ?? knowledge.parse({});
  const write = (next: z.infer<typeof knowledge>) => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeDurably(file, JSON.stringify(next));
  };
  return {
    fetched: (): readonly string[] => read().fetched,
    addFetched(refs: readonly string[]) {
      const known = read();
      const fetched = [...new Set([...known.fetched, ...refs])];
      if (fetched.length > known.fetched.length) write({ ...known, fetched });
    },
    forgetFetched(ref: string) {
      const known = read();
      write({ ...known, fetched: known.fetched.filter((one) => one !== ref) });
    },
    guestOf: (digest: string): ImageGuest | null => read().guests[digest] ?? null,
    learn(digest: string, guest: ImageGuest) {
      const known = read();
      write({ ...known, guests: { ...known.guests, [digest]: guest } });
      changed();
    },
    /** Returns the home folder of the image's guests as it was before any tenant, or null. */
    baseline(digest: string): Buffer | null {
      try {
        return readFileSync(baselineFile(digest));
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return null;
        throw error;
      }
    },
    saveBaseline(digest: string, baseline: Buffer) {
      mkdirSync(baselines, { recursive: true, mode: 0o700 });
      writeDurably(baselineFile(digest), baseline);
    },
    /**
     * Returns why this process found that no Mac can be created from the image; null if it did not, or so long ago that it
     * should be tried again: a guest may have answered wrongly for another reason.
     */
    unusable(digest: string): Message | null {
      const found = unusable.get(digest);
      return found && clock.monotonic() < found.until ? found.reason : null;
    },
    markUnusable(digest: string, reason: Message) {
      unusable.set(digest, { reason, until: clock.monotonic() + limits.unusableMs });
      changed();
    },
    /** What the last Mac was made from. */
    lastModel: (): Model | null => read().last,
    rememberModel({ image, digest, size }: Model) {
      const known = read();
      const last = { image, digest, size };
      if (JSON.stringify(known.last) !== JSON.stringify(last)) write({ ...known, last });
    },
    /** Deletes what is recorded about other digests. */
    keepOnly(digests: ReadonlySet<string>) {
      const known = read();
      const guests = Object.entries(known.guests).filter(([digest]) => digests.has(digest));
      const kept = { ...known, guests: Object.fromEntries(guests) };
      if (JSON.stringify(kept) !== JSON.stringify(known)) write(kept);
      const needed = new Set([...digests].map((digest) => path.basename(baselineFile(digest))));
      for (const name of namesIn(baselines)) if (!needed.has(name)) rmSync(path.join(baselines, name));
    },
  };
}
