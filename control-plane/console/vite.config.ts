// How the console is built: into dist/control-plane/console/app, from where start/site/console.ts serves it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = import.meta.dirname;
const outDir = join(here, '../../dist/control-plane/console/app');

/** Shorter files do not get smaller. */
const COMPRESSED_FROM = 1_024;

const codings = { br: promisify(brotliCompress), gz: promisify(gzip) };

/** Writes compressed copies beside each file, so that the service never compresses them. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  async writeBundle(_options, bundle) {
    const names = Object.keys(bundle).filter((each) => /\.(js|css|svg)$/.test(each));
    await Promise.all(
      names.map(async (name) => {
        const bytes = readFileSync(join(outDir, name));
        if (bytes.length < COMPRESSED_FROM) return;
        for (const [end, compress] of Object.entries(codings)) {
          writeFileSync(join(outDir, `${name}.${end}`), await compress(bytes));
        }
      }),
    );
  },
};

export default defineConfig({
  root: here,
  base: '/console/',
  publicDir: false,
  plugins: [react(), compressed],
  html: { cspNonce: '__nonce__' },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Everything is a file of its own: the content security policy allows data: for images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: false,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name, facadeModuleId }) =>
          `assets/${name === 'page' ? (facadeModuleId?.split('/').at(-2) ?? name) : name}-[hash].js`,
        // What every page needs, and what changes only with dependencies.
        codeSplitting: {
          groups: [
            {
              name: 'menus',
              test: /node_modules\/(@base-ui\/(utils|react\/(menu|tooltip|floating-ui-react|merge-props|csp-provider|internals\/(composite|popups|use-button)))|@floating-ui)/,
            },
            {
              name: 'libraries',
              test: /node_modules\/(react|react-dom|scheduler|@tanstack)\//,
            },
          ],
        },
      },
    },
  },
});
