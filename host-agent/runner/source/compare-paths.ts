// Which paths left with a new manifest, and which came.
import type { SourceManifest } from '../../../shared/protocol/index.js';
import type { WorkIndex } from './work-index.js';

export interface PathChanges {
  /** Files and links that were laid last and are not in the manifest any more. */
  left: string[];
  /** Files and links of the manifest that were not laid last. */
  came: string[];
}

export function comparePaths(before: WorkIndex, manifest: SourceManifest): PathChanges {
  // Most builds change contents only: then no set of all the paths is needed.
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
