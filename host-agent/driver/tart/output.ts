// Parses what tart prints. Fields that a version of tart lacks are filled from older ones; unknown ones are ignored.
import { z } from 'zod';
import { digestOf } from '../vm/image-names.js';
import { type CachedImage, type Vm, VmToolError } from '../vm/tool.js';

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

/** Parses a line of `tart pull` with CI=1, e.g. `57%`. */
export function parsePercent(line: string): number | null {
  const found = /^\s*(\d{1,3})%/.exec(line)?.[1];
  return found === undefined ? null : Math.min(100, Number(found));
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
