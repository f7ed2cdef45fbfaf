// Parses many artifacts in one body. A record is a line `<sha256> <size> <percent-encoded name>`, with ` x` behind
// it if the file is executable, and `size` bytes.

import { createByteReader } from '../../../shared/archive/byte-reader.js';
import { BlobError } from './blob-error.js';

export interface ArtifactRecord {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly executable: boolean;
  /** Unread bytes are skipped before the next record. */
  readonly body: AsyncIterable<Buffer>;
}

const HEADER = /^([0-9a-f]{64}) (0|[1-9][0-9]{0,15}) ([\x21-\x7e]+)( x)?$/;
/** Names of at most 4,096 characters are accepted here; they are validated later. */
const LONGEST_HEADER = 64 + 1 + 16 + 1 + 3 * 4096 + 2;
const LF = 0x0a;

/**
 * Yields records in order. A record's body must be read before requesting the next record.
 *
 * @throws BlobError `malformed` on a malformed header or a body that ends inside a record
 */
export async function* readArtifactRecords(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<ArtifactRecord, void, undefined> {
  const reader = createByteReader(source);
  while (!(await reader.ended())) {
    const line = await reader.until(LF, LONGEST_HEADER);
    const [, sha256 = '', digits = '', encoded = '', x] = HEADER.exec(line?.toString('latin1') ?? '') ?? [];
    const name = decoded(encoded);
    if (sha256 === '' || name === null) {
      throw invalid('A record begins with a line "<sha256> <size> <percent-encoded name>".');
    }
    const bytes = Number(digits);
    const body = reader.body(bytes);
    yield { name, sha256, bytes, executable: x !== undefined, body: body.chunks };
    const left = body.left();
    if ((await reader.skip(left)) < left) throw invalid('The body ends inside a record.');
  }
}

function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

const invalid = (message: string) => new BlobError('malformed', message);
