// How artifacts are grouped into requests: small ones travel many at a time, a large one alone.
import type { ArtifactReport } from '../../../shared/protocol/index.js';
import type { LinkLimits } from '../../limits.js';

type Limits = Pick<LinkLimits, 'artifactBatchFiles' | 'artifactBatchBytes'>;

/** In the order of the artifacts; each batch holds at least one. */
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
