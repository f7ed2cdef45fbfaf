// The bundle of the client's commands, dist/client/cli/start.cjs. See docs/adr/0026-one-file-for-the-clients-commands.md.
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { besideFile, limitsOf, ownAddresses } from './plugins.js';

/** What client/cli/start.ts runs from modules. */
const left = [
  './main.js',
  './commands/admin.js',
  // As the package of the command line has it.
  '../../../client/cli/commands/admin.js',
  './commands/dev.js',
  './commands/host-agent.js',
  '../../mcp/serve.js',
];

/**
 * Bundles client/cli/start.ts for `dist/client/cli/start.cjs` below `root`.
 *
 * @returns the text of the bundle, which is also written unless `write` is false
 */
export async function bundleStart(
  root: string,
  { plugins = [], ...options }: Pick<BuildOptions, 'write' | 'sourcemap'> & { plugins?: Plugin[] },
): Promise<string> {
  const outfile = join(root, 'dist/client/cli/start.cjs');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['client/cli/start.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // Not minified, so that stack traces stay readable. Minified code did not start faster.
    minify: false,
    logLevel: 'warning',
    ...options,
    plugins: [
      limitsOf({ left, packages: ['commander', 'uqr'] }),
      ...plugins,
      ownAddresses(root, join(root, 'dist'), besideFile(outfile)),
    ],
  });
  return outputFiles?.[0]?.text ?? '';
}
