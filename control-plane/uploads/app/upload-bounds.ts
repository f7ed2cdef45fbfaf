// Limits of uploads in the form that the readers take.
import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { ManifestBounds } from '../formats/manifest.js';
import type { BodyBounds } from './upload-body.js';

/** Overhead per file: tar block headers and names, or record headers. */
const FRAMING_PER_FILE = 4096;

export interface UploadBounds {
  readonly files: ManifestBounds;
  readonly manifest: BodyBounds;
  readonly contents: BodyBounds;
}

/** @param realClock for network timeouts, which do not follow the test clock */
export function uploadBounds(limits: Limits, realClock: Clock): UploadBounds {
  const both = {
    maxRatio: limits.gzip_ratio,
    ratioFromBytes: limits.gzip_ratio_from_bytes,
    time: { idleMs: limits.upload_idle_ms, totalMs: limits.upload_total_ms, clock: realClock },
  };
  return {
    files: {
      maxFiles: limits.upload_files,
      maxFolders: limits.upload_folders,
      maxFileBytes: limits.upload_file_bytes,
      maxTotalBytes: limits.upload_bytes,
      maxPathBytes: limits.upload_path_bytes,
    },
    manifest: { ...both, maxBytes: limits.manifest_bytes, tooLarge: 'manifest_too_large' },
    contents: {
      ...both,
      maxBytes: limits.upload_bytes + limits.upload_files * FRAMING_PER_FILE,
      tooLarge: 'upload_too_large',
    },
  };
}
