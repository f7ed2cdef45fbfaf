// Encodes several artifacts in one response as records: a line `<file_id> <size>` followed by exactly size bytes.
import type { Readable } from 'node:stream';
import type { Artifact } from '../domain/file.js';

/**
 * Yields the records in the order of the ids. An artifact that is not in `found` becomes the line `<file_id> gone`.
 * Throws, after the records before it, if the content of one cannot be read.
 */
export async function* artifactContents(
  fileIds: readonly string[],
  found: ReadonlyMap<string, Artifact>,
  read: (artifact: Artifact) => Promise<Readable>,
): AsyncGenerator<Buffer, void, undefined> {
  for (const fileId of fileIds) {
    const artifact = found.get(fileId);
    if (artifact === undefined) {
      yield Buffer.from(`${fileId} gone\n`);
      continue;
    }
    const stream = await read(artifact);
    yield Buffer.from(`${fileId} ${artifact.bytes}\n`);
    yield* stream as AsyncIterable<Buffer>;
  }
}
