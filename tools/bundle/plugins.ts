// What the bundle asks of esbuild beyond its options.
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Limits the bundle to our code, node's, and the given packages.
 *
 * @param left dynamic imports, as written, that stay outside the bundle and are resolved when they are reached
 * @param packages packages that are bundled; any other one is an error
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
