// `npm run package` on a system without network: the package of hosts gets this system's node instead of a Mac's, which would have to
// be downloaded (test/tools/package looks at that one).
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageClient } from '../../../tools/package/client.js';
import { packageAll } from '../../../tools/package/full.js';
import { packageHostAgent } from '../../../tools/package/host-agent.js';
import { writeSums } from '../../../tools/package/sums.js';
import { root, scriptRuntime } from '../package-here.js';

const out = join(root, 'dist/packages');
mkdirSync(out, { recursive: true });
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const common = { root, out, version };
writeSums(out, [
  await packageClient(common),
  await packageAll(common),
  await packageHostAgent({ ...common, runtime: scriptRuntime }),
]);
