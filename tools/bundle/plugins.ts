// What the bundle asks of esbuild beyond its options.
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Holds the bundle to our own code and node's.
 *
 * A package would be loaded, or copied, for every build; whoever needs one belongs behind `left`.
 *
 * @param left the import, as it is written, that leaves the bundle and is resolved when it is reached
 */
export function limitsOf({ left }: { left: string }): Plugin {
  return {
    name: 'limits',
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return null;
        if (isBuiltin(path)) return { path, external: true };
        if (path === left && kind === 'dynamic-import') return { path, external: true };
        if (path.startsWith('.')) return null;
        return { errors: [{ text: `${importer} would bring the package ${path} into the bundle` }] };
      });
    },
  };
}

/**
 * Gives `import.meta.url` the value that it has in the module on its own, so that what lies beside a module
 * (the code of a thread) is found from inside the bundle too.
 *
 * @param sources absolute path of the folder that `outputs` mirrors
 * @param outfile absolute path of the bundle, somewhere in `outputs`
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
