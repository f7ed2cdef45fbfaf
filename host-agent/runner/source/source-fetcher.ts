// Fetches the upload's manifest, and contents by hash, from the control plane.

import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { hostFailure } from '../../../shared/messages/host-failures.js';
import { readManifestAnswer, readSourceManifest } from '../../../shared/protocol/index.js';
import { BuildStepError } from '../../contract/build-step-error.js';
import { AnswerError, bearer, isLoopback, type LinkAddress, linkRequest } from '../../system/request.js';
import type { SourceFetcher } from './port.js';

/**
 * Creates a fetcher for one attempt of a build. It does not retry: the source step knows what it already has.
 *
 * @throws BuildStepError (source_unavailable) when a retry cannot help: the build no longer belongs to this host, or
 *   the upload is gone
 * @example
 * const fetcher = createSourceFetcher({ siteUrl, credential }, { build_id: 'rb_1', attempt: 1 });
 * const { files } = await fetcher.manifest(signal);
 */
export function createSourceFetcher(address: LinkAddress, ref: { build_id: string; attempt: number }): SourceFetcher {
  const path = `/link/v1/builds/${encodeURIComponent(ref.build_id)}/${ref.attempt}`;
  const headers = bearer(address.credential);

  const json = async (at: string, signal: AbortSignal): Promise<unknown> => {
    const answer = await linkRequest(address, {
      method: 'GET',
      path: `${path}/${at}`,
      // On the same machine, compression costs more time than it saves.
      headers: isLoopback(address.siteUrl) ? headers : { ...headers, 'accept-encoding': 'gzip' },
      signal,
    }).catch(finalOrNot);
    const packed = answer.headers['content-encoding'] === 'gzip';
    const body = packed ? answer.body.pipe(createGunzip()) : answer.body;
    answer.body.on('error', (error) => body.destroy(error));
    // Parsed at once: streaming takes several times as long.
    return JSON.parse((await buffer(body)).toString('utf8'));
  };

  return {
    manifest: async (signal) => readSourceManifest(await json('manifest', signal)),
    manifestSince: async (signal, since) => readManifestAnswer(await json(`manifest?since=${since}`, signal)),
    async blobs(sha256, signal): Promise<Readable> {
      const answer = await linkRequest(address, {
        method: 'POST',
        path: `${path}/blobs`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ sha256 }),
        signal,
      }).catch(finalOrNot);
      return answer.body;
    },
  };
}

function finalOrNot(error: unknown): never {
  if (!(error instanceof AnswerError) || error.temporary) throw error;
  throw new BuildStepError(
    'source',
    'source_unavailable',
    'platform',
    hostFailure('sources_not_provided', { reason: error.code }),
    { cause: error },
  );
}
