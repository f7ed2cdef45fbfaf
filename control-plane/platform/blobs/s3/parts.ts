// Writes an object: in one request if it fits a part, otherwise in parts, of which each is verified by the store.
import { createHash, type Hash } from 'node:crypto';
import { BlobError } from '../blob-error.js';
import { checkStored, type ExpectedContent, type StoredObject } from '../object-store.js';
import type { PartBuffers } from './part-buffers.js';
import { type Requests, S3Error } from './requests.js';
import { element, textOf } from './xml.js';

export interface PartsDeps {
  readonly requests: Requests;
  readonly buffers: PartBuffers;
  /** Called if an unfinished upload could not be aborted; `dropUnfinished` deletes it later. */
  onAbortFailed(key: string, error: unknown): void;
}

/** S3 allows no more. */
const MOST_PARTS = 10_000;
/** A store may take minutes to join many parts. */
const COMPLETE_MS = 5 * 60_000;

/** See `ObjectStore.put`. */
export async function writeObject(
  deps: PartsDeps,
  key: string,
  source: Buffer | AsyncIterable<Buffer>,
  expected: Partial<ExpectedContent> = {},
): Promise<StoredObject> {
  const { buffers } = deps;
  const whole = createHash('sha256');
  if (Buffer.isBuffer(source)) return write(deps, key, slices(source, buffers.bytes, whole), whole, expected);
  return buffers.use((buffer) => write(deps, key, filled(source, buffer, whole, expected.size), whole, expected));
}

/** A part of an object. Its hashes are made while its bytes arrive, so that none of them holds the thread for long. */
interface Part {
  readonly bytes: Buffer;
  /** SHA-256. */
  readonly bodyHash: string;
  readonly md5: Buffer;
}

/**
 * @param parts each but the last has the size of a part; a part is not used after the next one is requested
 * @param whole gets the bytes of the parts
 */
async function write(
  deps: PartsDeps,
  key: string,
  parts: AsyncGenerator<Part, void, undefined>,
  whole: Hash,
  expected: Partial<ExpectedContent>,
): Promise<StoredObject> {
  const { requests, buffers } = deps;
  const putWhole = ({ bytes, bodyHash, md5 }: Part) =>
    requests.call({ method: 'PUT', key, headers: checksum(md5), body: bytes, bodyHash });
  let size = 0;
  let upload: Upload | null = null;
  try {
    for await (const part of parts) {
      size += part.bytes.length;
      if (upload === null && part.bytes.length < buffers.bytes) {
        const stored = { size, sha256: whole.digest('hex') };
        checkStored(stored, expected);
        await putWhole(part);
        return stored;
      }
      upload ??= await beginUpload(requests, key);
      await upload.add(part);
    }
    const stored = { size, sha256: whole.digest('hex') };
    checkStored(stored, expected);
    if (upload === null) await putWhole(partOf(Buffer.alloc(0)));
    else await upload.complete(size);
    return stored;
  } catch (error) {
    await upload?.abort().catch((failed: unknown) => deps.onAbortFailed(key, failed));
    throw refused(error);
  }
}

/** Returns the error for an answer that refuses a write: the bytes are sound, so the store or its settings are not. */
export const refused = (error: unknown): unknown =>
  error instanceof S3Error
    ? new BlobError('away', `The object store refuses: ${error.message}`, { cause: error })
    : error;

type Upload = Awaited<ReturnType<typeof beginUpload>>;

async function beginUpload(requests: Requests, key: string) {
  const begun = await requests.call({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = textOf(begun.text, 'UploadId');
  if (uploadId === '') throw new BlobError('away', 'The object store began an upload without an id.');
  const etags: string[] = [];
  const hashes: Buffer[] = [];

  const isWhole = async (size: number): Promise<boolean> => {
    const { headers } = await requests.call({ method: 'HEAD', key });
    const own = `${createHash('md5').update(Buffer.concat(hashes)).digest('hex')}-${hashes.length}`;
    // Tags have this form in most stores; in others the size must suffice.
    const tag = bare(headers.etag ?? '');
    return (
      headers['content-length'] === String(size) &&
      (!/^[0-9a-f]{32}-\d+$/.test(tag) || tag === own || !etagsAreHashes())
    );
  };
  const etagsAreHashes = () => etags.every((etag, i) => bare(etag) === hashes[i]?.toString('hex'));

  return {
    async add({ bytes, bodyHash, md5 }: Part): Promise<void> {
      if (etags.length === MOST_PARTS) throw new BlobError('failed', `An object has more than ${MOST_PARTS} parts.`);
      const query = { partNumber: String(etags.length + 1), uploadId };
      const sent = { headers: checksum(md5), body: bytes, bodyHash };
      const { headers } = await requests.call({ method: 'PUT', key, query, ...sent });
      if (headers.etag === undefined) throw new BlobError('away', 'The object store stored a part without a tag.');
      etags.push(headers.etag);
      hashes.push(md5);
    },
    async complete(size: number): Promise<void> {
      const listed = etags.map(
        (tag, i) => `<Part>${element('PartNumber', String(i + 1))}${element('ETag', tag)}</Part>`,
      );
      const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`);
      const headers = { 'content-type': 'application/xml', ...checksum(partOf(body).md5) };
      try {
        await requests.call({ method: 'POST', key, query: { uploadId }, headers, body, limitMs: COMPLETE_MS });
      } catch (error) {
        // An earlier attempt was carried out, although its answer did not arrive.
        if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error;
      }
      if (!(await isWhole(size)))
        throw new BlobError('away', 'The object store has joined the parts to another object.');
    },
    abort: () => requests.call({ method: 'DELETE', key, query: { uploadId } }),
  };
}

const bare = (etag: string) => etag.replace(/^(?:W\/)?"?|"$/g, '');

/** Yields the pieces of a stream, joined to parts of the size of `buffer`. */
async function* filled(
  source: AsyncIterable<Buffer>,
  buffer: Buffer,
  whole: Hash,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<Part, void, undefined> {
  let used = 0;
  let size = 0;
  let hashes = createHashes();
  for await (let piece of source) {
    size += piece.length;
    if (size > longest) throw new BlobError('mismatch', 'The bytes sent do not have the named hash and size.');
    while (piece.length > 0) {
      const copied = piece.copy(buffer, used);
      const some = buffer.subarray(used, used + copied);
      whole.update(some);
      hashes.update(some);
      used += copied;
      piece = piece.subarray(copied);
      if (used < buffer.length) continue;
      yield { bytes: buffer, ...hashes.digest() };
      used = 0;
      hashes = createHashes();
    }
  }
  if (used > 0) yield { bytes: buffer.subarray(0, used), ...hashes.digest() };
}

async function* slices(bytes: Buffer, size: number, whole: Hash): AsyncGenerator<Part, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) {
    const slice = bytes.subarray(at, at + size);
    whole.update(slice);
    yield partOf(slice);
  }
}

function partOf(bytes: Buffer): Part {
  const hashes = createHashes();
  hashes.update(bytes);
  return { bytes, ...hashes.digest() };
}

function createHashes() {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  return {
    update(bytes: Buffer) {
      sha256.update(bytes);
      md5.update(bytes);
    },
    digest: () => ({ bodyHash: sha256.digest('hex'), md5: md5.digest() }),
  };
}

const checksum = (md5: Buffer) => ({ 'content-md5': md5.toString('base64') });
