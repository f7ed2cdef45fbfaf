// The contents of artifacts in the order in which they are saved: small ones come many in a request, the others one each.
import type { BuildClient } from '../build-client.js';
import { CidermillError } from '../cidermill-error.js';
import type { WorkspaceFile } from '../types.js';

const SMALL_BYTES = 256 * 1024;
/** What one request asks for; its answer is in memory. */
const LARGEST_REQUEST = { files: 1_000, bytes: 8 * 1024 * 1024 };

/** Yields the bytes of one of the artifacts. Call it in the order of the artifacts; a second call for an artifact starts again. */
export type ArtifactContents = (artifact: WorkspaceFile) => AsyncIterable<Uint8Array>;

export function createArtifactContents(
  client: BuildClient,
  buildId: string,
  artifacts: readonly WorkspaceFile[],
  signal: AbortSignal | undefined,
): ArtifactContents {
  const options = signal ? { signal } : {};
  const small = artifacts.filter(({ bytes }) => bytes <= SMALL_BYTES);
  const position = new Map(small.map(({ id }, at) => [id, at]));
  let together = small.length > 1;
  let arrived = new Map<string, Uint8Array>();

  /** Reads the artifact and the following ones; keeps those that arrived before the connection broke. */
  const readFrom = async (first: number, wanted: string) => {
    arrived = new Map();
    try {
      const asked = firstRequest(small.slice(first));
      for await (const { id, content } of client.files.artifactContents(buildId, asked, options)) {
        arrived.set(id, content);
      }
    } catch (error) {
      if (!(error instanceof CidermillError)) throw error;
      // An older service, or one that takes fewer at a time: the others are asked for one by one.
      if ([400, 404, 405].includes(error.status)) together = false;
      else if (!error.retryable || !arrived.has(wanted)) throw error;
    }
  };

  return async function* ({ id }) {
    const at = position.get(id);
    if (together && at !== undefined && !arrived.has(id)) await readFrom(at, id);
    const content = arrived.get(id);
    if (content) {
      arrived.delete(id);
      yield content;
    } else yield* client.files.downloadArtifact(buildId, id, options);
  };
}

function firstRequest(artifacts: readonly WorkspaceFile[]): WorkspaceFile[] {
  let bytes = 0;
  const end = artifacts.findIndex((artifact) => {
    bytes += artifact.bytes;
    return bytes > LARGEST_REQUEST.bytes;
  });
  return artifacts.slice(0, Math.min(end < 0 ? artifacts.length : end, LARGEST_REQUEST.files));
}
