// Recorded frames of the link: one JSON object per line, in the order in which they were sent.
import { readFileSync, writeFileSync } from 'node:fs';

export interface Frame {
  readonly from: 'agent' | 'control plane';
  readonly json?: Readonly<Record<string, unknown>> & { readonly type: string };
  /** Of a binary frame, in base64. */
  readonly bytes?: string;
}

/** @param replaced texts of the machine that was recorded */
export function writeFrames(
  file: string,
  frames: readonly Frame[],
  replaced: readonly (readonly [string, string])[],
): void {
  const clean = (line: string) => replaced.reduce((text, [from, to]) => text.replaceAll(from, to), line);
  writeFileSync(file, frames.map((frame) => `${clean(JSON.stringify(frame))}\n`).join(''));
}

export function readFrames(file: string): Frame[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Frame);
}
