// What the work folder has to hold: from the service, or from the index of the last checkout and what has changed since.
import type { ManifestChanges, SourceManifest } from '../../../shared/protocol/index.js';
import type { SourceStep } from '../../caches/source-step.js';
import { checkManifest } from './check-manifest.js';
import type { SourceFetcher } from './port.js';
import { fetchManifest } from './transfer.js';
import { foldersOf } from './work-folders.js';
import { manifestOf, type WorkIndex } from './work-index.js';

export interface Sources {
  manifest: SourceManifest;
  /** Every folder that the manifest needs, parents first. */
  needed: Set<string>;
}

/**
 * Asks the service only for the changes since the last checkout, if there was one; after an edit they are one row of ten
 * thousand. A service that does not know the changes sends the whole manifest.
 *
 * @param sha256 of the manifest
 * @throws BuildStepError (source_unavailable)
 */
export async function readSources(
  step: SourceStep,
  fetcher: SourceFetcher,
  sha256: string,
  before: WorkIndex,
): Promise<Sources> {
  if (before.manifestSha256 === sha256) return fromIndex(before, []);
  const since = before.manifestSha256;
  if (since !== null) {
    const answer = await fetchManifest(step, () => fetcher.manifestSince(step.signal, since));
    if (!('since' in answer)) return whole(answer);
    const changed = changedSources(before, answer);
    if (changed !== null) return changed;
  }
  return whole(await fetchManifest(step, () => fetcher.manifest(step.signal)));
}

const whole = (manifest: SourceManifest): Sources => ({ manifest, needed: checkManifest(manifest) });

/** Returns null for changes of another manifest, or of a file that it does not have. */
function changedSources(before: WorkIndex, { since, files }: ManifestChanges): Sources | null {
  if (since !== before.manifestSha256) return null;
  checkManifest({ files, links: [], directories: [] });
  const rows = files.map((file) => before.paths.indexOf(file.path));
  return rows.includes(-1) ? null : fromIndex(before, files, rows);
}

/** The paths of the index were checked when it was written. */
function fromIndex(before: WorkIndex, changed: SourceManifest['files'], rows: readonly number[] = []): Sources {
  const manifest = manifestOf(before);
  changed.forEach((file, n) => {
    manifest.files[rows[n]!] = file;
  });
  const links = before.links.map(({ path }) => path);
  const directories = before.directories.map((folder) => `${folder}/.`);
  return { manifest, needed: foldersOf([...before.paths, ...links, ...directories]) };
}
