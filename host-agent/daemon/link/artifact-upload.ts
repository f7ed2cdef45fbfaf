// Uploads artifacts to the control plane, with retries over any outage.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { backoffMs } from '../../../shared/backoff.js';
import type { Clock } from '../../../shared/clock.js';
import { isErrno } from '../../../shared/errno.js';
import type { Log } from '../../../shared/log.js';
import { pause } from '../../../shared/pause.js';
import type { ArtifactReport } from '../../../shared/protocol/index.js';
import type { LinkLimits } from '../../limits.js';
import { AnswerError, bearer, type LinkAddress, linkRequest } from '../../system/request.js';

/** unwanted: the build no longer belongs to this host. sent: with the artifacts that were not stored. */
export type UploadOutcome = { kind: 'unwanted' } | { kind: 'sent'; failed: { name: string; why: string }[] };

export interface ArtifactFile {
  readonly artifact: ArtifactReport;
  readonly file: string;
}

type Ref = { build_id: string; attempt: number };
/** Shared by the requests of one build. `since`: the control plane has answered from then on that it cannot store now. */
export interface Refusals {
  since: number | null;
}

export type UploadArtifacts = (
  ref: Ref,
  artifacts: readonly ArtifactFile[],
  refusals: Refusals,
  signal: AbortSignal,
) => Promise<UploadOutcome>;

const answerShape = z.object({ refused: z.array(z.object({ name: z.string(), code: z.string() })) });

/**
 * Returns a function that streams one artifact from disk, or sends several in one request from memory. Retries
 * without limit while the control plane cannot be reached, and up to `artifactAttempts` times when it cannot store
 * them. Rejects only when `signal` aborts.
 */
export function createArtifactUpload(deps: {
  address: () => LinkAddress;
  clock: Clock;
  limits: () => Pick<
    LinkLimits,
    'artifactAttempts' | 'artifactRefusedMs' | 'artifactAwayMs' | 'artifactRetryBaseMs' | 'artifactRetryMaxMs'
  >;
  log: Log;
}): UploadArtifacts {
  const { address, clock, limits, log } = deps;

  const send = async (
    { build_id, attempt }: Ref,
    request: {
      method: 'PUT' | 'POST';
      query: string;
      headers: Record<string, string>;
      body: Buffer | Readable;
    },
    signal: AbortSignal,
  ) => {
    const target = address();
    const { method, query, body } = request;
    const path = `/link/v1/builds/${encodeURIComponent(build_id)}/${attempt}/artifacts${query}`;
    const octets = { 'content-type': 'application/octet-stream' };
    const headers = { ...bearer(target.credential), ...octets, ...request.headers };
    return linkRequest(target, { method, path, headers, body, signal });
  };

  const sendOne = async (ref: Ref, { artifact, file }: ArtifactFile, signal: AbortSignal) => {
    const headers = { 'content-length': String(artifact.bytes), 'x-sha256': artifact.sha256 };
    const body = await openUnchanged(file, artifact.bytes);
    const query = `?name=${encodeURIComponent(artifact.name)}${artifact.executable ? '&executable=1' : ''}`;
    const answer = await send(ref, { method: 'PUT', query, headers, body }, signal);
    answer.body.resume();
    return [];
  };

  const sendMany = async (ref: Ref, artifacts: readonly ArtifactFile[], signal: AbortSignal) => {
    const { records, changed } = await recordsOf(artifacts);
    const body = Buffer.concat(records);
    const headers = { 'content-length': String(body.length) };
    const answer = await send(ref, { method: 'POST', query: '', headers, body }, signal);
    const { refused } = answerShape.parse(await json(answer.body));
    return [...changed, ...refused.map(({ name, code }) => ({ name, why: code }))];
  };

  return async (ref, artifacts, refusals, signal) => {
    const allFailed = (why: string): UploadOutcome => ({
      kind: 'sent',
      failed: artifacts.map(({ artifact }) => ({ name: artifact.name, why })),
    });
    let refused = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        const [only] = artifacts;
        const failed =
          only && artifacts.length === 1 ? await sendOne(ref, only, signal) : await sendMany(ref, artifacts, signal);
        refusals.since = null;
        return { kind: 'sent', failed };
      } catch (error) {
        signal.throwIfAborted();
        let retryAfterMs = 0;
        let leftMs = Number.POSITIVE_INFINITY;
        if (error instanceof ChangedFile) return allFailed(error.message);
        // Without a valid credential nothing can be delivered until an operator enrolls the host again.
        if (error instanceof AnswerError && error.status !== 401) {
          if (!error.storageAway) refused++;
          if (error.status === 404 && error.code !== 'not_found') return { kind: 'unwanted' };
          if (!error.temporary || refused >= limits().artifactAttempts) return allFailed(error.code);
          refusals.since ??= clock.monotonic();
          const { artifactRefusedMs, artifactAwayMs } = limits();
          const longestMs = error.storageAway ? artifactAwayMs : artifactRefusedMs;
          leftMs = refusals.since + longestMs - clock.monotonic();
          if (leftMs <= 0) {
            return allFailed(`${error.code}, the service has refused for ${longestMs / 1000} s`);
          }
          retryAfterMs = error.retryAfterMs;
        }
        const name = artifacts[0]?.artifact.name;
        log.info({ err: error, ...ref, artifact: name, count: artifacts.length, attempt }, 'artifacts not stored yet');
        const { artifactRetryBaseMs: baseMs, artifactRetryMaxMs: maxMs } = limits();
        const waitMs = Math.max(retryAfterMs, backoffMs(attempt, { baseMs, maxMs }));
        await pause(clock, Math.min(waitMs, leftMs), signal);
      }
    }
  };
}

/** The file is not what it was when the build ended. */
class ChangedFile extends Error {}

async function recordsOf(artifacts: readonly ArtifactFile[]) {
  const records: Buffer[] = [];
  const changed: { name: string; why: string }[] = [];
  for (const { artifact, file } of artifacts) {
    const { name, sha256, bytes, executable } = artifact;
    try {
      await checkUnchanged(file, bytes);
      const content = await readFile(file);
      const header = `${sha256} ${content.length} ${encodeURIComponent(name)}${executable ? ' x' : ''}\n`;
      records.push(Buffer.from(header), content);
    } catch (error) {
      if (!(error instanceof ChangedFile)) throw error;
      changed.push({ name, why: error.message });
    }
  }
  return { records, changed };
}

/** @throws ChangedFile */
async function checkUnchanged(file: string, bytes: number): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    (error: unknown) => {
      if (isErrno(error, 'ENOENT')) return null;
      throw error;
    },
  );
  if (size === null) throw new ChangedFile('its file has disappeared from the host');
  if (size !== bytes) throw new ChangedFile('its file has changed since the build ended');
}

/** @throws ChangedFile */
async function openUnchanged(file: string, bytes: number): Promise<Readable | Buffer> {
  await checkUnchanged(file, bytes);
  return bytes === 0 ? Buffer.alloc(0) : createReadStream(file, { highWaterMark: 256 * 1024 });
}
