// Brings one artifact to the control plane, over any outage of it.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { backoffMs } from '../../shared/backoff.js';
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { pause } from '../../shared/pause.js';
import type { ArtifactReport } from '../../shared/protocol/index.js';
import type { LinkLimits } from '../limits.js';
import { AnswerError, bearer, type LinkAddress, linkRequest } from './request.js';

export type UploadOutcome =
  | { kind: 'stored' }
  /** The build is not this host's any more: nobody waits for its artifacts. */
  | { kind: 'unwanted' }
  | { kind: 'failed'; why: string };

export type UploadArtifact = (
  ref: { build_id: string; attempt: number },
  artifact: ArtifactReport,
  file: string,
  signal: AbortSignal,
) => Promise<UploadOutcome>;

/**
 * While the control plane cannot be reached it is tried without end; an answer that it cannot store the artifact
 * now is taken `artifactAttempts` times. Rejects only when `signal` aborts.
 */
export function createArtifactUpload(deps: {
  address: () => LinkAddress;
  clock: Clock;
  limits: () => Pick<LinkLimits, 'artifactAttempts' | 'artifactRetryBaseMs' | 'artifactRetryMaxMs'>;
  log: Log;
}): UploadArtifact {
  const { address, clock, limits, log } = deps;

  const put: UploadArtifact = async (ref, artifact, file, signal) => {
    const { siteUrl, credential } = address();
    const path = `/link/v1/builds/${encodeURIComponent(ref.build_id)}/${ref.attempt}/artifacts`;
    const answer = await linkRequest(siteUrl, {
      method: 'PUT',
      path: `${path}?name=${encodeURIComponent(artifact.name)}`,
      headers: {
        ...bearer(credential),
        'content-type': 'application/octet-stream',
        'content-length': String(artifact.bytes),
        'x-sha256': artifact.sha256,
      },
      body: await openUnchanged(file, artifact.bytes),
      signal,
    });
    answer.body.resume();
    return { kind: 'stored' };
  };

  return async (ref, artifact, file, signal) => {
    let refusals = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        return await put(ref, artifact, file, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ChangedFile) return { kind: 'failed', why: error.message };
        // Without a valid credential nothing can be delivered: that is for whoever enrols the host again.
        if (error instanceof AnswerError && error.status !== 401) {
          refusals++;
          if (error.status === 404) return { kind: 'unwanted' };
          if (!error.temporary || refusals >= limits().artifactAttempts) {
            return { kind: 'failed', why: error.code };
          }
        }
        log.info({ err: error, ...ref, artifact: artifact.name, attempt }, 'artifact not stored yet');
        const { artifactRetryBaseMs: baseMs, artifactRetryMaxMs: maxMs } = limits();
        await pause(clock, backoffMs(attempt, { baseMs, maxMs }), signal);
      }
    }
  };
}

/** What the build left is not what it was when the build ended. */
class ChangedFile extends Error {}

/** @throws ChangedFile */
async function openUnchanged(file: string, bytes: number): Promise<Readable | Buffer> {
  const size = await stat(file).then(
    (found) => found.size,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    },
  );
  if (size === null) throw new ChangedFile('its file has disappeared from the host');
  if (size !== bytes) throw new ChangedFile('its file has changed since the build ended');
  return bytes === 0 ? Buffer.alloc(0) : createReadStream(file, { highWaterMark: 256 * 1024 });
}
