import type { BuildLogs } from '../logs/build-logs.js';

/** Bytes of a log's end in which the last line is looked for. */
const END_BYTES = 4096;

/**
 * Returns the last line of a build's log that has text, or what a progress bar wrote last in it; null without output. Of a
 * longer line its end. As it was printed: escape sequences included.
 */
export async function lastLine(logs: BuildLogs, buildId: string): Promise<string | null> {
  const length = await logs.bytes(buildId);
  if (length === 0) return null;
  const { data } = await logs.read(buildId, Math.max(0, length - END_BYTES), END_BYTES, true);
  const lines = data.toString('utf8').split(/[\r\n]+/);
  return lines.findLast((line) => line.trim() !== '') ?? null;
}
