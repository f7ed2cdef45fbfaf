// esbuild plugins for the bundle.
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Returns a plugin that fails the build on imports other than our code, Node's modules and the given packages.
 *
 * @param left dynamic imports, as written, that stay outside the bundle and are resolved at run time
 * @param packages packages that are bundled; any other package is an error
 */
export function limitsOf({
  left,
  packages,
}: {
  left: readonly string[];
  packages: readonly string[];
}): Plugin {
  return {
    name: 'limits',
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return null;
        if (isBuiltin(path)) return { path, external: true };
        if (kind === 'dynamic-import' && left.includes(path)) return { path, external: true };
        if (path.startsWith('.') || packages.includes(path)) return null;
        return { errors: [{ text: `${importer} would bring the package ${path} into the bundle` }] };
      });
    },
  };
}

/**
 * Returns a plugin that keeps the `import.meta.url` of each unbundled module, so that bundled code still finds files
 * next to its module, such as the code of a worker thread.
 *
 * @param sources absolute path of the folder that `outputs` mirrors
 * @param outfile absolute path of the bundle, inside `outputs`
 */
export function ownAddresses(sources: string, outputs: string, outfile: string): Plugin {
  return {
    name: 'own addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const compiled = `${outputs}/${relative(sources, path).replace(/\.ts$/, '.js')}`;
        const fromBundle = JSON.stringify(relative(dirname(outfile), compiled));
        const address = `require('node:url').pathToFileURL(require('node:path').join(__dirname, ${fromBundle})).href`;
        return { contents: source.replaceAll('import.meta.url', address), loader: 'ts' };
      });
    },
  };
}
