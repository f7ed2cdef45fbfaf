// Log output crosses the link in binary frames: u32 length of the header (big endian), header as JSON, raw bytes.
import { z } from 'zod';

export const outputHeader = z.object({
  build_id: z.string(),
  attempt: z.int().min(1),
  /** Offset of the first byte in the attempt's masked log. */
  offset: z.int().min(0),
});
export type OutputHeader = z.infer<typeof outputHeader>;

const LONGEST_HEADER = 1024;

/** @example encodeOutput({ build_id: 'rb_1', attempt: 1, offset: 0 }, Buffer.from('hello\n')) */
export function encodeOutput(header: OutputHeader, data: Buffer): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const frame = Buffer.allocUnsafe(4 + json.length + data.length);
  frame.writeUInt32BE(json.length, 0);
  json.copy(frame, 4);
  data.copy(frame, 4 + json.length);
  return frame;
}

/** Throws a RangeError or a zod error on a frame that is not one of ours. The data shares the frame's memory. */
export function decodeOutput(frame: Buffer): { header: OutputHeader; data: Buffer } {
  const length = frame.length < 4 ? -1 : frame.readUInt32BE(0);
  if (length < 0 || length > LONGEST_HEADER || 4 + length > frame.length) {
    throw new RangeError('output frame: bad header length');
  }
  const header = outputHeader.parse(JSON.parse(frame.toString('utf8', 4, 4 + length)));
  return { header, data: frame.subarray(4 + length) };
}
