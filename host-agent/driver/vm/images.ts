// The images of this host: fetches requested ones, reports their state, and deletes those that it fetched and that no tier
// names now. Images that an operator has fetched with the tool are used, but never deleted.
import { imageErrors } from '../../../shared/messages/image-errors.js';
import { withTexts } from '../../../shared/messages/message.js';
import type { DesiredImage, ImageFact } from '../../../shared/protocol/index.js';
import { coalesce } from '../../system/coalesce.js';
import { within } from '../../system/within.js';
import type { VmContext } from './context.js';
import { createImageFetches, findImage, type ImageFetches, type ImageOnHost } from './image-fetches.js';
import { digestOf, repositoryOf } from './image-names.js';
import type { CachedImage, FetchProgress } from './tool.js';

export interface Images {
  want(images: readonly DesiredImage[]): void;
  /** Null until the first `want`. */
  wanted(): readonly DesiredImage[] | null;
  facts(): Promise<ImageFact[]>;
  /** Returns the image, fetching it if need be. Reports the progress of the fetch, also what it was before. */
  ensure(
    image: { ref: string; digest: string | null },
    progress: (progress: FetchProgress) => void,
  ): Promise<ImageOnHost>;
  /** Returns the image of this digest if it is on the host. */
  find(ref: string, digest: string): Promise<ImageOnHost | null>;
  /** Keeps an image from being deleted until the returned function is called. */
  hold(digest: string): () => void;
  /** Deletes images of this agent that no tier names. Logs its errors. */
  evict(): Promise<void>;
  /** Ends a fetch, and waits for what else was begun. */
  close(): Promise<void>;
}

/**
 * @param on.changed called when `facts` returns something new
 * @param on.room deletes images and spares until this many bytes are free; throws when it cannot
 */
export function createImages(
  context: VmContext,
  on: { changed: () => void; room: (bytes: number) => Promise<void> },
): Images {
  const { tool, limits, clock, log } = context;
  /** What a tag was resolved to since the control plane asked for that. */
  const resolved = new Map<string, string>();
  const held = new Set<{ readonly digest: string }>();
  let cached: readonly CachedImage[] = [];
  let wanted: readonly DesiredImage[] | null = null;
  const fetches = createImageFetches(context, {
    ...on,
    fetched: ({ ref, digest }) => void resolved.set(ref, digest),
  });

  /** Nobody waits for them but `close`. */
  const going = new Set<Promise<void>>();
  const track = (work: Promise<void>) => {
    going.add(work);
    void work.finally(() => going.delete(work));
  };

  const find = async (ref: string, digest: string) => findImage(await tool.images(), ref, digest);

  const ensure: Images['ensure'] = async ({ ref, digest: asked }, progress) => {
    const digest = asked ?? resolved.get(ref) ?? null;
    const there = digest === null ? null : await find(ref, digest);
    if (there) return there;
    const going = fetches.start(ref, digest);
    progress(going.progress);
    going.listeners.add(progress);
    return going.done;
  };

  return {
    want(images) {
      const before = wanted ?? [];
      wanted = images;
      // A tag that has been resolved may have to be resolved again later.
      const open = new Set(images.flatMap(({ image, digest }) => (digest === null ? [image] : [])));
      for (const ref of resolved.keys()) if (!open.has(ref)) resolved.delete(ref);
      for (const { image: ref, digest, pull } of images) {
        const asked = before.some((one) => one.image === ref && one.digest === digest && one.pull);
        // A failed fetch is retried when it is requested again.
        if (!pull || (asked && fetches.failure(ref, digest) !== null)) continue;
        const here = ensure({ ref, digest }, () => {}).then(
          () => undefined,
          (error: unknown) => {
            if (context.closing.aborted) return;
            // A failed fetch is reported as a fact too; this may also be a tool that does not answer.
            log.warn({ err: error, image: ref }, 'a requested image is not on this host');
          },
        );
        track(here);
      }
      on.changed();
    },
    wanted: () => wanted,
    async facts() {
      if (wanted?.length) {
        const answered = tool.images().then(
          (found) => {
            cached = found;
          },
          (error: unknown) => log.error({ err: error }, 'cannot list the images of this host'),
        );
        track(answered);
        await within(answered, clock, limits.answerMs, undefined);
      }
      return (wanted ?? []).map((image) => factOf(image, { context, cached, fetches, resolved }));
    },
    ensure,
    find,
    hold(digest) {
      const hold = { digest };
      held.add(hold);
      return () => void held.delete(hold);
    },
    evict: coalesce(() =>
      evictImages(context, wanted, { busy: fetches.any(), held }).catch((error: unknown) => {
        log.error({ err: error }, 'cannot delete images that no tier names');
      }),
    ),
    async close() {
      await fetches.close();
      await Promise.all(going);
    },
  };
}

function factOf(
  { image, digest: asked }: DesiredImage,
  known: {
    context: VmContext;
    cached: readonly CachedImage[];
    fetches: ImageFetches;
    resolved: ReadonlyMap<string, string>;
  },
): ImageFact {
  const { knowledge } = known.context;
  const digest = asked ?? known.resolved.get(image) ?? null;
  const there = digest === null ? null : findImage(known.cached, image, digest);
  const fetching = known.fetches.going(image, asked);
  const failure = known.fetches.failure(image, asked);
  const state = there ? 'ready' : fetching ? 'pulling' : failure !== null ? 'failed' : 'absent';
  const pulled = state === 'pulling' ? fetching?.progress : undefined;
  const found = state === 'failed' ? failure : digest === null ? null : knowledge.unusable(digest);
  const error = found && withTexts(imageErrors, found, (text) => text.slice(0, LONGEST_ERROR));
  return {
    image,
    digest,
    state,
    percent: pulled?.percent ?? null,
    fetched_bytes: pulled?.bytes ?? null,
    fetch_bytes: pulled?.totalBytes ?? null,
    bytes: there?.usedBytes ?? null,
    error: error?.text ?? null,
    error_message: error,
    offers: digest === null ? null : (knowledge.guestOf(digest)?.offers ?? null),
  };
}

const LONGEST_ERROR = 500;

/** @param now.busy something is being fetched, and may not be in the cache under its name yet */
async function evictImages(
  { tool, knowledge, store, closing, log }: VmContext,
  wanted: readonly DesiredImage[] | null,
  now: { busy: boolean; held: ReadonlySet<{ readonly digest: string }> },
): Promise<void> {
  if (wanted === null || now.busy) return;
  for (const ref of knowledge.fetched()) {
    if (closing.aborted) return;
    const digest = digestOf(ref);
    if (wanted.some((image) => isNeeded(image, ref, digest))) continue;
    // Looked at each time: a Mac may be begun while another image is deleted.
    if ([...now.held].some((one) => one.digest === digest)) continue;
    log.info({ image: ref }, 'deleting an image that no tier names');
    await tool.deleteImage(ref);
    knowledge.forgetFetched(ref);
  }
  if (wanted.every((image) => image.digest !== null)) {
    const inUse = store.names().flatMap((name) => store.read(name)?.digest ?? []);
    knowledge.keepOnly(new Set([...inUse, ...wanted.flatMap((image) => image.digest ?? [])]));
  }
}

/** While a tag is not resolved, it may stand for any digest of its repository. A tag itself takes little space. */
function isNeeded({ image, digest }: DesiredImage, ref: string, cached: string | null): boolean {
  if (image === ref) return true;
  if (repositoryOf(image) !== repositoryOf(ref)) return false;
  return digest === null || digest === cached;
}
