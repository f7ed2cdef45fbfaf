import { buildWarning } from '../../shared/messages/build-warnings.js';
import { asStepError } from '../contract/build-step-error.js';
import type { BuildPaths } from '../driver/build-mac.js';
import { type Collected, collectArtifacts } from './artifacts.js';
import { graceAfter } from './halt.js';
import type { RunOptions } from './run-options.js';

/** Collects the artifacts. A stopped build collects them for a short time only. */
export async function artifactsStep(options: RunOptions, paths: BuildPaths): Promise<Collected> {
  const { spec, mac, files, mask, halt, limits, clock } = options;
  const grace = graceAfter(halt, clock, limits.stoppedArtifactsMs);
  const { signal } = grace;
  try {
    const { max_bytes: maxBytes, max_files } = spec.artifacts;
    const maxEntries = max_files + limits.artifactBundleEntries;
    const { folder, leftOut, cut } = await mac.collect(paths, files.incoming, {
      maxBytes,
      maxEntries,
      signal,
    });
    return await collectArtifacts({
      from: folder,
      before: { leftOut, cut },
      to: files.kept,
      limits: { ...spec.artifacts, max_bundle_entries: limits.artifactBundleEntries },
      maskText: mask.text,
      scanFile: mask.scanFile,
      scanBytes: mask.scanBytes,
      signal,
    });
  } catch (error) {
    if (asStepError(error, 'artifacts').reasonCode === 'host_disk_full') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { artifacts: [], warnings: [buildWarning('artifacts_failed', { reason })] };
  } finally {
    grace.end();
  }
}
