// `npm run generate`: writes the generated files of the client. A test fails when one is out of date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocuments } from './documents.js';
import { root } from './format.js';
import { generatedFiles } from './generated-files.js';

for (const [path, text] of Object.entries(generatedFiles(await readDocuments()))) {
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
