// Bulk bytes over HTTP below {site_url}/link/v1, authenticated by the host's credential (Bearer):
//   GET  /link/v1/builds/{build_id}/{attempt}/manifest[?since=SHA256]
//                                                              -> 200 sourceManifest (JSON, may be gzip), or manifestChanges
//   POST /link/v1/builds/{build_id}/{attempt}/blobs             {sha256:[…]} -> 200 records `<sha256> <size>\n<bytes>`,
//                                                              or `<sha256> gone\n` for one that is lost
//   PUT  /link/v1/builds/{build_id}/{attempt}/artifacts?name=N[&executable=1]  bytes, x-sha256, content-length -> 204
//   POST /link/v1/builds/{build_id}/{attempt}/artifacts         records `<sha256> <size> <encoded name>[ x]\n<bytes>`, x: executable
//                                                              -> 200 {refused: [{name, code}]}
//   POST /link/v1/enrol                                         see enrol.ts
import { z } from 'zod';
import { sha256Hex } from '../build.js';

const NOT_HEX = /[^0-9a-f]/;

export const sourceFile = z.object({
  path: z.string(),
  sha256: sha256Hex,
  size: z.int().min(0),
  mode: z.union([z.literal(0o644), z.literal(0o755)]),
});
export type SourceFile = z.infer<typeof sourceFile>;

/** The content of an upload, whether it came as a manifest or as a tar. Paths are NFC, relative, with `/`. */
export const sourceManifest = z.object({
  files: z.array(sourceFile),
  /** Relative symbolic links that stay inside the tree (tar uploads only). */
  links: z.array(z.object({ path: z.string(), target: z.string() })),
  /** Empty folders (tar uploads only). */
  directories: z.array(z.string()),
});
export type SourceManifest = z.infer<typeof sourceManifest>;

/**
 * The manifest as changes of the one with the SHA-256 `since`, which the host has: the files that have another content,
 * size or mode. Everything else is the same.
 */
export const manifestChanges = z.object({ since: sha256Hex, files: z.array(sourceFile) });
export type ManifestChanges = z.infer<typeof manifestChanges>;

/**
 * Reads the answer to `GET …/manifest`.
 *
 * @throws z.ZodError
 */
export function readManifestAnswer(value: unknown): SourceManifest | ManifestChanges {
  const changes = typeof value === 'object' && value !== null && 'since' in value;
  return changes ? manifestChanges.parse(value) : readSourceManifest(value);
}

/**
 * The same as `sourceManifest.parse`, but faster: a build waits for it, and a folder may have 100,000 files.
 *
 * @throws z.ZodError
 */
export function readSourceManifest(value: unknown): SourceManifest {
  if (typeof value !== 'object' || value === null || !('files' in value) || !isList(value.files)) {
    return sourceManifest.parse(value);
  }
  // Parsed without its files: a list of many elements takes zod as long as everything else here.
  const rest = sourceManifest.parse({ ...value, files: [] });
  return { ...rest, files: value.files.map(readSourceFile) };
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function readSourceFile(value: unknown): SourceFile {
  if (typeof value !== 'object' || value === null) return sourceFile.parse(value);
  const { path, sha256, size, mode } = value as Readonly<Record<string, unknown>>;
  if (
    typeof path === 'string' &&
    typeof sha256 === 'string' &&
    sha256.length === 64 &&
    !NOT_HEX.test(sha256) &&
    typeof size === 'number' &&
    Number.isSafeInteger(size) &&
    size >= 0 &&
    (mode === 0o644 || mode === 0o755)
  ) {
    return { path, sha256, size, mode };
  }
  // Throws the error that says what is wrong.
  return sourceFile.parse(value);
}
