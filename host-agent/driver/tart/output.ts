// Parses what tart prints. Fields that a version of tart lacks are filled from older ones; unknown ones are ignored.
import { z } from 'zod';
import { digestOf } from '../vm/image-names.js';
import { type CachedImage, type FetchProgress, type Vm, VmToolError } from '../vm/tool.js';

const gigabytes = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d+(?:\.\d+)?$/)
      .transform(Number),
  ])
  .transform((value) => Math.round(value * 1e9))
  .nullable()
  .catch(null);

const listed = z.object({
  Name: z.string(),
  Source: z.string().optional().catch(undefined),
  State: z.string().optional().catch(undefined),
  Running: z.boolean().optional().catch(undefined),
  Disk: gigabytes.default(null),
  Size: gigabytes.default(null),
  /** Before 2026. */
  SizeOnDisk: gigabytes.default(null),
});
const list = z.array(listed);

/** Parses `tart list --source local --format json`. */
export function parseVms(json: string): Vm[] {
  return parse('list', list, json)
    .filter((entry) => entry.Source === undefined || entry.Source === 'local')
    .map((entry) => ({
      name: entry.Name,
      state: stateOf(entry),
      diskBytes: entry.Disk,
      usedBytes: entry.Size ?? entry.SizeOnDisk,
    }));
}

/** Parses `tart list --source oci --format json`. */
export function parseImages(json: string): CachedImage[] {
  return parse('list', list, json).map(({ Name: ref, Disk, Size, SizeOnDisk }) => ({
    ref,
    digest: digestOf(ref),
    bytes: Size ?? SizeOnDisk ?? 0,
    diskBytes: Disk,
  }));
}

function stateOf({ State, Running }: z.infer<typeof listed>): Vm['state'] {
  const state = State?.toLowerCase();
  if (state === 'running' || state === 'stopped' || state === 'suspended') return state;
  if (State !== undefined || Running === undefined) return 'unknown';
  return Running ? 'running' : 'stopped';
}

/**
 * Returns a function that takes each line of `tart pull` (run with CI=1) and returns the progress in it, or null.
 * `pulling disk (25.1 GB compressed)...` gives the size; then comes a line like `57%` for each percent, at most one a
 * second. After a lost connection tart begins again, with both. What comes after the last percent (`pulling NVRAM...`)
 * takes no time.
 */
export function pullProgress(): (line: string) => FetchProgress | null {
  let totalBytes: number | null = null;
  return (line) => {
    const size = /^pulling disk \((\d+(?:\.\d+)?) GB compressed\)/.exec(line)?.[1];
    if (size !== undefined) totalBytes = Math.round(Number(size) * 1e9);
    const found = size === undefined ? /^\s*(\d{1,3})%/.exec(line)?.[1] : '0';
    if (found === undefined) return null;
    const percent = Math.min(100, Number(found));
    return { percent, totalBytes, bytes: totalBytes && Math.round((totalBytes * percent) / 100) };
  };
}

const settings = z.object({ Disk: gigabytes });

/** Returns the size of the disk from `tart get NAME --format json`; null: this version does not say it. */
export const parseDiskBytes = (json: string): number | null => parse('get', settings, json).Disk;

function parse<T extends z.ZodType>(command: string, schema: T, json: string): z.infer<T> {
  try {
    return schema.parse(JSON.parse(json));
  } catch (error) {
    const message = `tart ${command}: the output has an unknown format`;
    throw new VmToolError('incompatible', message, { cause: error });
  }
}
