// Writes the icons of the console: `npm run icons`.
import { writeFileSync } from 'node:fs';
import { iconFiles } from './files.js';

// The compiled file is two folders below dist.
const folder = new URL('../../../control-plane/console/design/icons/', import.meta.url);
for (const [name, contents] of iconFiles()) {
  writeFileSync(new URL(name, folder), contents);
  console.log(`${name}: ${contents.length} bytes`);
}
