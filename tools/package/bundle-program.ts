// Bundles the host agent as one file. What other modules read from files of the source tree is part of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { forNode } from '../bundle/programs.js';
import { packagesIn } from './notices.js';

export interface BundledProgram {
  readonly code: string;
  /** Names of the npm packages in it. */
  readonly packages: readonly string[];
}

/** Where the bundle finds node-pty, which loads native code by a path next to its own files. */
export const NODE_PTY = './node-pty/lib/index.js';

const GUEST_PROGRAMS = 'host-agent/guest/programs';

/** Returns the replacements of modules that would look for files next to themselves, by path. */
function replacements(root: string, version: string, keys: readonly string[]): Record<string, string> {
  const folder = join(root, GUEST_PROGRAMS);
  const names = readdirSync(folder).sort();
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  return {
    'shared/package-version.ts': `export const packageVersion = () => ${JSON.stringify(version)};`,
    'host-agent/installation/publisher-keys.ts': `export const publisherKeys = ${JSON.stringify(keys)};`,
    'host-agent/guest/program-text.ts': `
      const texts = ${JSON.stringify(texts)};
      export function programText(name) {
        if (!Object.hasOwn(texts, name)) throw new Error('no guest program ' + name);
        return texts[name];
      }`,
    'host-agent/daemon/build-program.ts': `
      import { fileURLToPath } from 'node:url';
      export const BUILD_PROGRAM = fileURLToPath(import.meta.url);`,
    // The archive has the right mode, and a daemon that is not root cannot change files of the package.
    'host-agent/runner/spawn-helper.ts': 'export const makeSpawnHelperExecutable = () => undefined;',
  };
}

/** @param keys public keys whose packages the agent installs; empty: any */
export async function bundleProgram(
  root: string,
  version: string,
  keys: readonly string[] = [],
): Promise<BundledProgram> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['tools/package/program.ts'],
    outfile: 'cidermill.mjs',
    ...forNode,
    write: false,
    plugins: [inOneFile(root, replacements(root, version, keys))],
  });
  return { code: outputFiles[0]?.text ?? '', packages: [...packagesIn(metafile), 'node-pty'].sort() };
}

function inOneFile(root: string, replaced: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'in one file',
    setup({ onLoad, onResolve, onEnd }) {
      const unused = new Set(Object.keys(replaced));
      onResolve({ filter: /^node-pty$/ }, ({ path }) => ({ path, namespace: 'node-pty' }));
      // Loaded when the process of a build needs it; an import would be loaded on every start.
      onLoad({ filter: /./, namespace: 'node-pty' }, () => ({
        contents: `module.exports = require(${JSON.stringify(NODE_PTY)})`,
        loader: 'js',
      }));
      onResolve({ filter: /./, namespace: 'node-pty' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const name = relative(root, path);
        const contents = replaced[name];
        unused.delete(name);
        if (contents !== undefined) return { contents, loader: 'js', resolveDir: join(path, '..') };
        if (!readFileSync(path, 'utf8').includes('import.meta')) return null;
        return { errors: [{ text: `${name} uses import.meta, which means another file in the package` }] };
      });
      onEnd(() => ({ errors: [...unused].map((name) => ({ text: `${name} is not part of the program` })) }));
    },
  };
}
