// The frames that bring sources into a guest.
import { closeSync, constants, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { encodeFrame } from '../frames.js';
import { bytesOf, mtimeOf, permissionsOf, type Staging, type StagingChanges, sizeOf, typeOf } from './staging.js';

const BATCH_BYTES = 256 * 1024;
const RECORD_HEAD = 16;
const NUL = Buffer.alloc(1);

/** Yields the frames of all changes: what is gone first, then folders, files and links. */
export function* changeFrames(folder: string, staging: Staging, changes: StagingChanges): Generator<Buffer> {
  const { send, remove } = changes;
  yield* batches(
    'remove',
    remove.reverse().map((path) => [bytesOf(path)]),
  );
  const rowsOf = (type: string) => send.filter((row) => typeOf(staging, row) === type);
  const pathOf = (row: number) => bytesOf(staging.paths[row]!);
  const modeOf = (row: number) => Buffer.from(permissionsOf(staging, row).toString(8));
  yield* batches(
    'folders',
    rowsOf('folder').map((row) => [modeOf(row), pathOf(row)]),
  );
  yield* fileFrames(folder, staging, rowsOf('file'));
  const root = Buffer.from(`${folder}/`);
  yield* batches(
    'links',
    rowsOf('link').map((row) => {
      const path = pathOf(row);
      return [path, readlinkSync(Buffer.concat([root, path]), { encoding: 'buffer' })];
    }),
  );
}

/** Yields frames of fields, each ended by NUL; what belongs together stays in one frame. */
function* batches(type: string, groups: Iterable<readonly Buffer[]>): Generator<Buffer> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for (const group of groups) {
    for (const field of group) {
      batch.push(field, NUL);
      bytes += field.length + 1;
    }
    if (bytes < BATCH_BYTES) continue;
    yield encodeFrame(type, Buffer.concat(batch));
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield encodeFrame(type, Buffer.concat(batch));
}

function* fileFrames(folder: string, staging: Staging, rows: readonly number[]): Generator<Buffer> {
  const root = Buffer.from(`${folder}/`);
  let batch: Buffer[] = [];
  let bytes = 0;
  for (const row of rows) {
    const path = bytesOf(staging.paths[row]!);
    const full = Buffer.concat([root, path]);
    const size = sizeOf(staging, row);
    if (size > BATCH_BYTES) {
      yield* largeFile(full, path, staging, row);
      continue;
    }
    const content = readFileSync(full);
    const head = Buffer.alloc(RECORD_HEAD);
    head.writeUInt16BE(permissionsOf(staging, row), 0);
    head.writeUInt16BE(path.length, 2);
    head.writeUInt32BE(content.length, 4);
    head.writeDoubleLE(mtimeOf(staging, row), 8);
    batch.push(head, path, content);
    bytes += RECORD_HEAD + path.length + content.length;
    if (bytes < BATCH_BYTES) continue;
    yield encodeFrame('files', Buffer.concat(batch));
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield encodeFrame('files', Buffer.concat(batch));
}

/** Yields exactly as many bytes as announced. */
function* largeFile(full: Buffer, path: Buffer, staging: Staging, row: number): Generator<Buffer> {
  const size = sizeOf(staging, row);
  const fields = [permissionsOf(staging, row).toString(8), mtimeOf(staging, row).toFixed(6), String(size)];
  yield encodeFrame('file', Buffer.concat([path, NUL, ...fields.flatMap((field) => [Buffer.from(field), NUL])]));
  const fd = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const piece = Buffer.allocUnsafe(2 * BATCH_BYTES);
    for (let at = 0; at < size; ) {
      const length = readSync(fd, piece, 0, Math.min(piece.length, size - at), at);
      if (length === 0) throw new Error('a file of the sources became shorter while it was read');
      yield encodeFrame('data', piece.subarray(0, length));
      at += length;
    }
  } finally {
    closeSync(fd);
  }
}
