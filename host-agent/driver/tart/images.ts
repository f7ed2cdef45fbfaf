// The commands about images in tart's cache.
import { imageError } from '../../../shared/messages/image-errors.js';
import type { VmLimits } from '../../limits.js';
import { digestOf, refOfDigest } from '../vm/image-names.js';
import { type VmTool, VmToolError } from '../vm/tool.js';
import type { RunTool } from '../vm/tool-command.js';
import { parseImages, pullProgress } from './output.js';

export function tartImages(
  tart: RunTool,
  { pullConcurrency, limits }: { pullConcurrency: number; limits: () => VmLimits },
): Pick<VmTool, 'images' | 'pull' | 'deleteImage'> {
  const digestOfImage = async (ref: string) => {
    const digest = digestOf(ref) ?? digestOf((await tart(['fqn', ref])).trim());
    if (digest === null) throw new VmToolError('image_not_found', imageError('not_of_a_registry', { image: ref }));
    return digest;
  };
  return {
    async images() {
      return parseImages(await tart(['list', '--source', 'oci', '--format', 'json']));
    },
    async pull({ ref, digest }, { progress, signal }) {
      const fetch = (image: string) => {
        const read = pullProgress();
        const onLine = (line: string) => {
          const found = read(line);
          if (found !== null) progress(found);
        };
        return tart(['pull', image, '--concurrency', String(pullConcurrency)], {
          onLine,
          signal,
          quiet: true,
          timeoutMs: limits().pullSilenceMs,
        });
      };
      if (digest !== null) {
        await fetch(refOfDigest(ref, digest));
        return { digest };
      }
      await fetch(ref);
      const found = await digestOfImage(ref);
      // Pulled by its digest it stays when the tag moves on.
      if (digestOf(ref) === null) await fetch(refOfDigest(ref, found));
      return { digest: found };
    },
    async deleteImage(ref) {
      await tart(['delete', ref], { ok: ['not_found'] });
    },
  };
}
