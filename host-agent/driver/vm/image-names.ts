// Names of images in registries.

/**
 * Returns the name without tag and digest.
 *
 * @example repositoryOf('localhost:5000/a/b:26') // 'localhost:5000/a/b'
 */
export function repositoryOf(ref: string): string {
  const name = ref.replace(/@.*$/, '');
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  return colon < 0 ? name : name.slice(0, colon);
}

/** @example refOfDigest('localhost:5000/a/b:26', 'sha256:…') // 'localhost:5000/a/b@sha256:…' */
export const refOfDigest = (ref: string, digest: string): string => `${repositoryOf(ref)}@${digest}`;

const DIGEST = /@(sha256:[0-9a-f]{64})$/;

/** @example digestOf('ghcr.io/a/b@sha256:…') // 'sha256:…' */
export const digestOf = (ref: string): string | null => DIGEST.exec(ref)?.[1] ?? null;
