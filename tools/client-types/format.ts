import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const root = new URL('../../../', import.meta.url).pathname;

/** Returns the text as formatted by this project's formatter. */
export function formatted(text: string, path: string): string {
  const biome = join(root, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
}
