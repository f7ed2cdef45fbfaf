// Log output is sent in binary frames: u32 length of the header (big endian), header as JSON, raw bytes.
import { z } from 'zod';
import { id, limited } from './kinds.js';

/** Bytes of an attempt's log that are lines of the service, from (inclusive) and to (exclusive). */
export const serviceBytes = z.tuple([z.int().min(0), z.int().min(0)]);
export type ServiceBytes = z.infer<typeof serviceBytes>;

/** Maximum number of ranges in a header; further lines of the frame are not marked. */
export const SERVICE_RANGES = 40;

export const outputHeader = z.object({
  build_id: id(),
  attempt: z.int().min(1),
  /** Offset of the first byte in the attempt's masked log. */
  offset: z.int().min(0),
  /**
   * Ranges that the service wrote, in order; they may extend beyond this frame. All other lines are output of the
   * build.
   */
  service: limited(serviceBytes, SERVICE_RANGES).optional(),
  /** How long ago the build printed last when the frame was made, ms. Missing from hosts of version 2. */
  silent_ms: z.int().min(0).optional(),
});
export type OutputHeader = z.infer<typeof outputHeader>;

const LONGEST_HEADER = 1024;

/** Maximum size of a frame's header in bytes. */
export const OUTPUT_HEADER_ROOM = 4 + LONGEST_HEADER;

/**
 * Writes the header of a frame to memory that has room for it.
 *
 * @returns the offset at which the data has to be written
 * @example
 * const at = beginOutput(memory, { build_id: 'rb_1', attempt: 1, offset: 0 });
 * const frame = memory.subarray(0, at + memory.write('hello\n', at));
 */
export function beginOutput(memory: Buffer, header: OutputHeader): number {
  const json = Buffer.from(JSON.stringify(header));
  if (json.length > LONGEST_HEADER) throw new RangeError('output frame: header too long');
  memory.writeUInt32BE(json.length, 0);
  json.copy(memory, 4);
  return 4 + json.length;
}

/** @example encodeOutput({ build_id: 'rb_1', attempt: 1, offset: 0 }, Buffer.from('hello\n')) */
export function encodeOutput(header: OutputHeader, data: Buffer): Buffer {
  const memory = Buffer.allocUnsafe(OUTPUT_HEADER_ROOM + data.length);
  const at = beginOutput(memory, header);
  data.copy(memory, at);
  return memory.subarray(0, at + data.length);
}

/** Decodes a frame; throws a RangeError or a zod error for an invalid one. The data shares the frame's memory. */
export function decodeOutput(frame: Buffer): { header: OutputHeader; data: Buffer } {
  const length = frame.length < 4 ? -1 : frame.readUInt32BE(0);
  if (length < 0 || length > LONGEST_HEADER || 4 + length > frame.length) {
    throw new RangeError('output frame: bad header length');
  }
  const header = outputHeader.parse(JSON.parse(frame.toString('utf8', 4, 4 + length)));
  return { header, data: frame.subarray(4 + length) };
}
