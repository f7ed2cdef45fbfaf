// Blobs in a request body: records, each a line `<sha256> <size>` followed by exactly size raw bytes.

import { createByteReader } from '../../../shared/archive/byte-reader.js';
import { FormatError, type FormatFacts } from './format-error.js';

export interface BlobRecord {
  sha256: string;
  size: number;
  /** Unread bytes are skipped before the next record. */
  body: AsyncIterable<Buffer>;
}

const HEADER = /^([0-9a-f]{64}) (0|[1-9][0-9]{0,15})$/;
const LONGEST_HEADER = 64 + 1 + 16;
const LF = 0x0a;

/**
 * Reads records one after the other; a record's body must be read before the next record is requested.
 *
 * @param largest bytes a blob may have
 * @throws FormatError `record` on a malformed header, a blob larger than `largest`, or a stream that ends
 *   inside a record
 */
export async function* readRecords(
  source: AsyncIterable<Buffer>,
  largest: number,
): AsyncGenerator<BlobRecord, void, undefined> {
  const reader = createByteReader(source);
  while (!(await reader.ended())) {
    const line = await reader.until(LF, LONGEST_HEADER);
    const [, sha256 = '', digits = ''] = HEADER.exec(line?.toString('latin1') ?? '') ?? [];
    const size = Number(digits);
    if (sha256 === '') throw invalid('A record begins with a line "<sha256> <size>", lower-case hex and decimal.');
    if (size > largest) throw invalid(`A blob may have at most ${largest} bytes.`, { sha256 });

    const body = reader.body(size);
    yield { sha256, size, body: body.chunks };
    const left = body.left();
    if ((await reader.skip(left)) < left) throw invalid('The body ends inside a record.', { sha256 });
  }
}

function invalid(message: string, facts: FormatFacts = {}): FormatError {
  return new FormatError('record', message, facts);
}
