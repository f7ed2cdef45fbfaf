// What uploads may cost, in the words of the readers.
import type { Clock } from '../../../shared/clock.js';
import type { TimeBounds } from '../formats/incoming.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { GunzipBounds } from '../formats/gunzip.js';
import type { ManifestBounds } from '../formats/manifest.js';

/** Block headers and names of a tar, and headers of records, on top of the contents. */
const FRAMING_PER_FILE = 4096;

export interface UploadBounds {
  readonly time: TimeBounds;
  readonly files: ManifestBounds;
  readonly manifest: GunzipBounds;
  readonly contents: GunzipBounds;
}

/** @param realClock networks do not follow the test clock */
export function uploadBounds(limits: Limits, realClock: Clock): UploadBounds {
  const ratio = { maxRatio: limits.gzip_ratio, ratioFromBytes: limits.gzip_ratio_from_bytes };
  return {
    time: { idleMs: limits.upload_idle_ms, totalMs: limits.upload_total_ms, clock: realClock },
    files: {
      maxFiles: limits.upload_files,
      maxFolders: limits.upload_folders,
      maxFileBytes: limits.upload_file_bytes,
      maxTotalBytes: limits.upload_bytes,
      maxPathBytes: limits.upload_path_bytes,
    },
    manifest: { ...ratio, maxBytes: limits.manifest_bytes, tooLarge: 'manifest_too_large' },
    contents: {
      ...ratio,
      maxBytes: limits.upload_bytes + limits.upload_files * FRAMING_PER_FILE,
      tooLarge: 'upload_too_large',
    },
  };
}
