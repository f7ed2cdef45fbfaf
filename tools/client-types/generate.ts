// `npm run generate`: writes client/types.ts. A test fails when the file is out of date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientTypes } from './client-types.js';
import { readDocuments } from './documents.js';
import { formatted, root } from './format.js';

const path = 'client/types.ts';
writeFileSync(join(root, path), formatted(clientTypes(await readDocuments()), path));
console.log(`wrote ${path}`);
