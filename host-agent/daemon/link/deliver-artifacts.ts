// Sends the artifacts of one ended build, and notes in its result what could not be sent.
import { warningsOf } from '../../../shared/build.js';
import type { Log } from '../../../shared/log.js';
import { buildWarning } from '../../../shared/messages/build-warnings.js';
import type { Message } from '../../../shared/messages/message.js';
import type { ArtifactReport, BuildResult } from '../../../shared/protocol/index.js';
import { firstArtifacts } from '../../contract/artifact-warnings.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import type { BuildSupervisor } from '../supervisor.js';
import { artifactBatches } from './artifact-batches.js';
import type { Refusals, UploadArtifacts, UploadOutcome } from './artifact-upload.js';

export interface ArtifactDeliveryDeps {
  builds: Pick<BuildSupervisor, 'artifactFile'>;
  upload: UploadArtifacts;
  limits: () => LinkLimits;
  log: Log;
}

/**
 * Sends the artifacts in batches and returns the warnings of the build: an artifact that cannot be delivered adds a
 * warning, it does not block the build.
 *
 * @param stopped aborts the sending; what has not been sent by then is left out
 * @param closed aborts everything: the returned promise rejects
 */
export async function deliverArtifacts(
  deps: ArtifactDeliveryDeps,
  ref: AttemptRef,
  result: BuildResult,
  { stopped, closed }: { stopped: AbortSignal; closed: AbortSignal },
): Promise<Message[]> {
  const { artifacts } = result;
  const failures: Message[] = [];
  const refusals: Refusals = { since: null };
  let sent = 0;
  for (const batch of artifactBatches(artifacts, deps.limits())) {
    const outcome = await sendBatch(deps, ref, batch, refusals, { stopped, closed });
    if (outcome === 'stopped' || outcome.kind === 'unwanted') break;
    for (const { name, why } of outcome.failed) {
      deps.log.warn({ ...ref, artifact: name, why }, 'artifact not delivered');
      failures.push(buildWarning('artifact_not_stored', { name, reason: why }));
    }
    sent += batch.length;
  }
  const all = [...warningsOf(result), ...firstArtifacts(failures, 'more_artifacts_not_stored')];
  const left = artifacts.length - sent;
  if (stopped.aborted && left > 0) {
    all.push(buildWarning('artifacts_not_sent', { part: left, count: artifacts.length }));
  }
  return all;
}

async function sendBatch(
  { builds, upload, log }: ArtifactDeliveryDeps,
  ref: AttemptRef,
  batch: readonly ArtifactReport[],
  refusals: Refusals,
  { stopped, closed }: { stopped: AbortSignal; closed: AbortSignal },
): Promise<UploadOutcome | 'stopped'> {
  try {
    const files = batch.map((artifact) => ({ artifact, file: builds.artifactFile(ref, artifact.name) }));
    return await upload(ref, files, refusals, stopped);
  } catch (error) {
    closed.throwIfAborted();
    if (stopped.aborted) return 'stopped';
    log.error({ err: error, ...ref }, 'cannot deliver artifacts');
    const why = 'internal error of the host';
    return { kind: 'sent', failed: batch.map(({ name }) => ({ name, why })) };
  }
}
