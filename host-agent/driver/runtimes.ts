// Finds the installed simulator runtimes by name (`iOS 26.1`).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

const listed = z.object({
  runtimes: z.array(z.object({ name: z.string(), isAvailable: z.boolean().default(true) })),
});

/** Returns an empty list on systems other than macOS. */
export async function findRuntimes(): Promise<string[]> {
  if (process.platform !== 'darwin') return [];
  const { stdout } = await promisify(execFile)('/usr/bin/xcrun', ['simctl', 'list', 'runtimes', '-j']);
  return parseRuntimes(stdout);
}

/** @example parseRuntimes('{"runtimes":[{"name":"iOS 26.1","isAvailable":true}]}') // ['iOS 26.1'] */
export function parseRuntimes(json: string): string[] {
  return listed
    .parse(JSON.parse(json))
    .runtimes.filter((runtime) => runtime.isAvailable)
    .map((runtime) => runtime.name);
}
