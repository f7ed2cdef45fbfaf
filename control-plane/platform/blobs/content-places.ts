// Paths of contents below a store's folder. A large content is one file, {scope}/{first two hex digits}/
// {sha256}-{generation}; the small contents of a batch share a pack, {scope}/packs/{generation}.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** A content in a pack. */
export interface PackPlace {
  readonly path: string;
  readonly slot: number;
  readonly sha256: string;
}

export interface ContentPlace {
  readonly path: string;
  /** Null: the content is a whole file. */
  readonly pack: PackPlace | null;
}

const SCOPE = /^[A-Za-z0-9_-]{1,64}$/;
/** A key with a slot belongs to a content in a pack. */
const KEY = /^([0-9a-f]{64})-([0-9a-f]{16})(?:-(\d{1,7}))?$/;
const GENERATION = /^[0-9a-f]{16}$/;
const PACKS = 'packs';

/** Returns a unique part of keys, so that no key is used twice. */
export const newGeneration = () => randomBytes(8).toString('hex');

export function checkScope(scope: string): void {
  if (!SCOPE.test(scope)) throw new TypeError('malformed scope');
}

/** Returns the path of a content. Throws a TypeError for a malformed scope or key, which could point to any file. */
export function placeOf(root: string, scope: string, key: string): ContentPlace {
  checkScope(scope);
  const [, sha256 = '', generation = '', slot] = KEY.exec(key) ?? [];
  if (sha256 === '') throw new TypeError('malformed key');
  if (slot === undefined) return { path: join(root, scope, key.slice(0, 2), key), pack: null };
  const path = packPath(root, scope, generation);
  return { path, pack: { path, slot: Number(slot), sha256 } };
}

export const packPath = (root: string, scope: string, generation: string) => join(root, scope, PACKS, generation);

export const packedKey = (sha256: string, generation: string, slot: number) => `${sha256}-${generation}-${slot}`;

/** Returns the kind of a file in one of a scope's folders, by its name; `foreign` for unknown files. */
export function kindOf(folder: string, name: string): 'pack' | 'content' | 'foreign' {
  if (folder === PACKS) return GENERATION.test(name) ? 'pack' : 'foreign';
  return KEY.test(name) ? 'content' : 'foreign';
}
