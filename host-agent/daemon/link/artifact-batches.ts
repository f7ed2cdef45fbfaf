// Groups artifacts into requests: small ones together, large ones alone.
import type { ArtifactReport } from '../../../shared/protocol/index.js';
import type { LinkLimits } from '../../limits.js';

type Limits = Pick<LinkLimits, 'artifactBatchFiles' | 'artifactBatchBytes'>;

/** Yields batches in the order of the artifacts, each with at least one. */
export function* artifactBatches(
  artifacts: readonly ArtifactReport[],
  { artifactBatchFiles, artifactBatchBytes }: Limits,
): Generator<ArtifactReport[], void, undefined> {
  let batch: ArtifactReport[] = [];
  let bytes = 0;
  for (const artifact of artifacts) {
    const full = batch.length >= artifactBatchFiles || bytes + artifact.bytes > artifactBatchBytes;
    if (full && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(artifact);
    bytes += artifact.bytes;
  }
  if (batch.length > 0) yield batch;
}
