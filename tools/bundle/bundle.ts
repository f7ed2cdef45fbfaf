// Part of `npm run compile` and `npm run build`: makes dist/client/cli/start.cjs, the bundle of the client's commands, those
// of the programs, and the console.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleConsole } from './console.js';
import { bundlePrograms, programs, testPrograms } from './programs.js';
import { bundleStart } from './start.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

// As in tools/compile.mjs: esbuild ends before collecting garbage pays off.
process.env.GOGC ??= 'off';

await Promise.all([
  ...[programs, testPrograms].map((group) => bundlePrograms(root, join(root, 'dist'), group)),
  bundleStart(root, { sourcemap: true }),
]);
await bundleConsole(root);
chmodSync(join(root, 'dist/client/bin.cjs'), 0o755);
