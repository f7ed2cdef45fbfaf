// Images of lume. `lume pull` makes a virtual machine from an image, with the manifest's digest in a file. This agent keeps one
// per digest, clones from it, and never starts it. `DIGEST.json` beside it lists the repositories it came from, and is
// written last.

import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readJson, writeDurably } from '../../../shared/durable-file.js';
import { imageError } from '../../../shared/messages/image-errors.js';
import type { VmLimits } from '../../limits.js';
import { namesIn } from '../../system/names-in.js';
import { removeTree } from '../../system/remove-tree.js';
import { digestOf, repositoryOf } from '../vm/image-names.js';
import { type CachedImage, type VmTool, VmToolError } from '../vm/tool.js';
import type { RunTool } from '../vm/tool-command.js';
import { guardFile, type LumeFolders } from './folders.js';
import { parseLume, parseLumePercent } from './output.js';
import { type ImageRef, parseRef } from './refs.js';

/** Name of the image that is being fetched; there is one at a time. */
const PULLING = 'pulling';
const DIGEST_FILE = '.manifest-digest';

const origin = z.object({ repositories: z.array(z.string()) });

/** @example imageName('sha256:01ab…') // 'sha256-01ab…' */
export const imageName = (digest: string): string => digest.replace(':', '-');

export function lumeImages(
  lume: RunTool,
  fetch: RunTool,
  folders: LumeFolders,
  limits: () => VmLimits,
): Pick<VmTool, 'images' | 'pull' | 'deleteImage'> {
  const store = openImageStore(folders);
  return {
    async images() {
      const machines = parseLume('ls', await lume(['ls', '--format', 'json', '--storage', folders.images]));
      return store.list().flatMap(({ digest, repositories }): CachedImage[] => {
        const machine = machines.find((one) => one.name === imageName(digest));
        if (machine === undefined) return [];
        const { allocated, total } = machine.diskSize;
        return repositories.map((repository) => ({
          ref: `${repository}@${digest}`,
          digest,
          bytes: allocated ?? 0,
          diskBytes: total,
        }));
      });
    },
    async pull({ ref, digest: wanted }, { progress, signal }) {
      const image = parseRef(ref);
      if (wanted !== null && store.add(wanted, image)) return { digest: wanted };
      await store.clear();
      const args = ['pull', `${image.name}:${image.tag}`, PULLING, '--registry', image.registry];
      try {
        await fetch([...args, '--organization', image.organization, '--storage', folders.images], {
          onLine(line) {
            const found = parseLumePercent(line);
            if (found !== null) progress({ percent: found, bytes: null, totalBytes: null });
          },
          signal,
          quiet: true,
          timeoutMs: limits().pullSilenceMs,
        });
        return { digest: store.keep(image, wanted) };
      } finally {
        await store.clear();
      }
    },
    async deleteImage(ref) {
      const digest = digestOf(ref);
      if (digest !== null) await store.remove(digest, repositoryOf(ref));
    },
  };
}

interface ImageStore {
  list(): { digest: string; repositories: string[] }[];
  /** Records that an image on this host also comes from this repository. Returns false when the image is not on this host. */
  add(digest: string, image: ImageRef): boolean;
  /** Takes the image that was fetched. @throws VmToolError when it is not the wanted one */
  keep(image: ImageRef, wanted: string | null): string;
  remove(digest: string, repository: string): Promise<void>;
  /** Deletes what an interrupted fetch left. */
  clear(): Promise<void>;
}

function openImageStore({ images, tmp }: LumeFolders): ImageStore {
  const folderOf = (name: string) => path.join(images, name);
  const fileOf = (digest: string) => path.join(images, `${imageName(digest)}.json`);
  const repositoriesOf = (digest: string) => origin.safeParse(readJson(fileOf(digest))).data?.repositories ?? [];
  const write = (digest: string, repositories: readonly string[]) =>
    writeDurably(fileOf(digest), JSON.stringify({ repositories: [...new Set(repositories)] }));
  const store: ImageStore = {
    list() {
      const digests = namesIn(images).flatMap((name) => /^sha256-([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []);
      return digests.map((hex) => ({
        digest: `sha256:${hex}`,
        repositories: repositoriesOf(`sha256:${hex}`),
      }));
    },
    add(digest, image) {
      const known = repositoriesOf(digest);
      if (known.length === 0) return false;
      if (!known.includes(image.repository)) write(digest, [...known, image.repository]);
      return true;
    },
    keep(image, wanted) {
      const digest = readDigest(path.join(folderOf(PULLING), DIGEST_FILE));
      if (wanted !== null && digest !== wanted) throw movedTag(image, wanted, digest);
      if (store.add(digest, image)) return digest;
      rmSync(folderOf(imageName(digest)), { recursive: true, force: true });
      renameSync(folderOf(PULLING), folderOf(imageName(digest)));
      write(digest, [image.repository]);
      return digest;
    },
    async remove(digest, repository) {
      const left = repositoriesOf(digest).filter((one) => one !== repository);
      if (left.length > 0) return write(digest, left);
      rmSync(fileOf(digest), { force: true });
      await removeTree(folderOf(imageName(digest)));
      rmSync(guardFile(images, imageName(digest)), { force: true });
    },
    async clear() {
      const unnamed = namesIn(images).filter((name) => /^sha256-[0-9a-f]{64}$/.test(name));
      const halves = unnamed.filter((name) => repositoriesOf(name.replace('-', ':')).length === 0);
      for (const name of [PULLING, ...halves]) {
        await removeTree(folderOf(name));
        rmSync(guardFile(images, name), { force: true });
      }
      await removeTree(tmp);
      for (const folder of [images, tmp]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    },
  };
  return store;
}

const movedTag = ({ repository, tag }: ImageRef, wanted: string, found: string) =>
  new VmToolError('image_not_found', imageError('tag_moved', { image: `${repository}:${tag}`, found, wanted }));

function readDigest(file: string): string {
  const text = readFileSync(file, 'utf8').trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) {
    throw new VmToolError('incompatible', 'lume pull: it did not record the digest of the image');
  }
  return text;
}
