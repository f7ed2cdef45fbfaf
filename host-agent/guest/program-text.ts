import { readFileSync } from 'node:fs';

// When compiled, this file is three folders below the package's root.
const folder = new URL('../../../host-agent/guest/programs/', import.meta.url);

/** Returns the text of a file of `programs/`. The packaged agent, which is one file, has a table instead (tools/package). */
export function programText(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
