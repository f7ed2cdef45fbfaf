// Part of `npm run compile` and `npm run build`: makes dist/client/cli/start.cjs, the bundle of the client's commands, and those
// of the programs.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { besideFile, limitsOf, ownAddresses } from './plugins.js';
import { bundlePrograms, programs, testPrograms } from './programs.js';

const root = new URL('../../../', import.meta.url).pathname;
const outfile = join(root, 'dist/client/cli/start.cjs');

/** What client/cli/start.ts runs from modules. */
const left = [
  './main.js',
  './commands/admin.js',
  './commands/dev.js',
  './commands/host-agent.js',
  '../../mcp/serve.js',
];

for (const group of [programs, testPrograms]) await bundlePrograms(root, join(root, 'dist'), group);
await build({
  absWorkingDir: root,
  entryPoints: ['client/cli/start.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  // Not minified, so that stack traces stay readable. Minified code did not start faster.
  minify: false,
  sourcemap: true,
  logLevel: 'warning',
  plugins: [
    limitsOf({ left, packages: ['commander', 'uqr'] }),
    ownAddresses(root, join(root, 'dist'), besideFile(outfile)),
  ],
});
chmodSync(join(root, 'dist/client/bin.cjs'), 0o755);
