// Compares the paths of two manifests.
import type { SourceManifest } from '../../../shared/protocol/index.js';
import type { WorkIndex } from './work-index.js';

export interface PathChanges {
  /** Files and links of the last checkout that are not in the manifest. */
  left: string[];
  /** Files and links of the manifest that were not in the last checkout. */
  came: string[];
}

export function comparePaths(before: WorkIndex, manifest: SourceManifest): PathChanges {
  // Most builds change contents only; then no sets of paths are needed.
  const sameFiles =
    before.paths.length === manifest.files.length &&
    manifest.files.every((file, row) => file.path === before.paths[row]);
  const pathsBefore = [...(sameFiles ? [] : before.paths), ...before.links.map((link) => link.path)];
  const pathsNow = [...(sameFiles ? [] : manifest.files), ...manifest.links].map((entry) => entry.path);
  const had = new Set(pathsBefore);
  const has = new Set(pathsNow);
  return {
    left: pathsBefore.filter((path) => !has.has(path)),
    came: pathsNow.filter((path) => !had.has(path)),
  };
}
