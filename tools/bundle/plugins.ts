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
export function limitsOf({ left, packages }: { left: readonly string[]; packages: readonly string[] }): Plugin {
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

/** Returns an expression for the URL of a module, given the path of the compiled module relative to the bundle. */
export type AddressText = (compiled: string) => string;

/** Returns the expression for bundles in the CommonJS file `outfile`. */
export const besideFile =
  (outfile: string): AddressText =>
  (compiled) =>
    `require('node:url').pathToFileURL(require('node:path').join(__dirname, ${JSON.stringify(relative(dirname(outfile), compiled))})).href`;

/** Returns the expression for bundles of ES modules, all directly in `folder`. */
export const besideModule =
  (folder: string): AddressText =>
  (compiled) =>
    `new URL(${JSON.stringify(relative(folder, compiled))}, import.meta.url).href`;

/**
 * Returns a plugin that keeps the `import.meta.url` of each unbundled module of ours, so that bundled code still
 * finds files next to its module, such as the code of a worker thread.
 *
 * @param sources absolute path of the folder that `outputs` mirrors
 * @param outputs absolute path of the compiled modules
 */
export function ownAddresses(sources: string, outputs: string, addressOf: AddressText): Plugin {
  return {
    name: 'own addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const address = addressOf(`${outputs}/${relative(sources, path).replace(/\.ts$/, '.js')}`);
        if (source.includes('import.meta.dirname')) throw new Error(`${path}: use import.meta.url in bundled code`);
        return { contents: source.replaceAll('import.meta.url', address), loader: 'ts' };
      });
    },
  };
}
