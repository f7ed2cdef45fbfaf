// Parses what lume prints.
import { z } from 'zod';
import { type Vm, VmToolError } from '../vm/tool.js';

const bytes = z.int().min(0).nullable().catch(null);

const listed = z.object({
  name: z.string(),
  status: z.string().catch(''),
  diskSize: z.object({ allocated: bytes, total: bytes }).catch({ allocated: null, total: null }),
  ipAddress: z.string().nullable().catch(null),
});
export type LumeVm = z.infer<typeof listed>;

/**
 * Parses `lume ls --format json` and `lume get NAME --format json`, which both print an array. Lines of lume's log may
 * precede it on the same stream.
 */
export function parseLume(command: string, stdout: string): LumeVm[] {
  const start = /^\[[ \t]*(?=\r?\n|\]|\{)/m.exec(stdout);
  try {
    return z.array(listed).parse(JSON.parse(stdout.slice(start?.index ?? 0)));
  } catch (error) {
    const message = `lume ${command}: the output has an unknown format`;
    throw new VmToolError('incompatible', message, { cause: error });
  }
}

/** A virtual machine that is being pulled or created is neither running nor stopped. */
export function stateOf(status: string): Vm['state'] {
  return status === 'running' || status === 'stopped' ? status : 'unknown';
}

/** Parses the progress of `lume pull`, e.g. `█████ 57% | Current: 3 MB/s | …`. */
export function parseLumePercent(line: string): number | null {
  const found = /(?:^|\s|\])(\d{1,3})% \|/.exec(line)?.[1];
  return found === undefined ? null : Math.min(100, Number(found));
}

const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;

/** Returns the address if it is one: it becomes an argument of ssh. */
export const parseAddress = (text: string | null): string | null => (text !== null && IPV4.test(text) ? text : null);
