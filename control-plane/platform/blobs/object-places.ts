// Keys of objects that hold contents. A large content is one object, {kind}/{scope}/{two hex digits}/{generation}; the
// small contents of a batch share a pack, {kind}/{scope}/packs/{two hex digits}/{generation}.
import { checkScope } from './content-places.js';

/** What an object holds. */
export interface ObjectPlace {
  readonly kind: string;
  readonly scope: string;
  readonly generation: string;
  readonly isPack: boolean;
}

/** A content in an object, by its key. */
export interface ContentInObject {
  readonly objectKey: string;
  /** Null: the content is the whole object. */
  readonly slot: number | null;
  readonly sha256: string;
}

const CONTENT_KEY = /^([0-9a-f]{64})-([0-9a-f]{16})(?:-(\d{1,7}))?$/;
const OBJECT_KEY = /^([a-z]+)\/([A-Za-z0-9_-]+)\/(packs\/)?[0-9a-f]{2}\/([0-9a-f]{16})$/;

export function objectKeyOf({ kind, scope, generation, isPack }: ObjectPlace): string {
  checkScope(scope);
  return `${kind}/${scope}/${isPack ? 'packs/' : ''}${generation.slice(0, 2)}/${generation}`;
}

/** Returns null for a key that no content store makes. */
export function placeOfObject(objectKey: string): ObjectPlace | null {
  const [, kind, scope = '', packs, generation = ''] = OBJECT_KEY.exec(objectKey) ?? [];
  return kind === undefined ? null : { kind, scope, generation, isPack: packs !== undefined };
}

/** Throws a TypeError for a malformed scope or key. */
export function contentInObject(kind: string, scope: string, key: string): ContentInObject {
  const [, sha256 = '', generation = '', slot] = CONTENT_KEY.exec(key) ?? [];
  if (sha256 === '') throw new TypeError('malformed key');
  const objectKey = objectKeyOf({ kind, scope, generation, isPack: slot !== undefined });
  return { objectKey, slot: slot === undefined ? null : Number(slot), sha256 };
}
