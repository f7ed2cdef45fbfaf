// How the console is built: into dist/control-plane/console/app, from where start/site/pages.ts serves it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkOf, circleOf } from './chunks.js';

/** This folder, as it is in the ids of modules: it may be built through a link (tools/bundle/console.ts). */
let here = import.meta.dirname;
const outDir = join(here, '../../dist/control-plane/console/app');

const rootOfModules: Plugin = {
  name: 'root of modules',
  configResolved({ root }) {
    here = root;
  },
};

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

/** Puts the icon of the tab into the document, which saves a request of every page. Vite leaves icons out of what it inlines. */
const iconInDocument: Plugin = {
  name: 'icon in the document',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const icon = readFileSync(join(here, 'design/icons/icon.svg'), 'utf8').trim();
      const found = html.replace(
        /(<link rel="icon" type="image\/svg\+xml"[^>]* href=")[^"]+/,
        (_, start: string) => `${start}data:image/svg+xml,${encodeURIComponent(icon)}`,
      );
      if (found === html) throw new Error('index.html has no icon');
      return found;
    },
  },
};

/** Writes pages.json: which files each page needs beyond the first load, so that the document names them at once. */
const filesOfPages: Plugin = {
  name: 'files of pages',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const circle = circleOf(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
    if (circle) throw new Error(`these files import each other: ${circle.join(', ')}`);
    const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
    const closure = (file: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(file)) return seen;
      seen.add(file);
      for (const each of named.get(file)?.imports ?? []) closure(each, seen);
      return seen;
    };
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (!entry) throw new Error('the console has no entry');
    const first = closure(entry.fileName);
    const filesOf = (source: string) => {
      const chunk = chunks.find(({ facadeModuleId, moduleIds }) => {
        const file = join(here, source);
        return facadeModuleId === file || moduleIds.includes(file);
      });
      if (!chunk) throw new Error(`no chunk has ${source}`);
      const scripts = [...closure(chunk.fileName)].filter((file) => !first.has(file));
      const styles = scripts.flatMap((file) => [...(named.get(file)?.viteMetadata?.importedCss ?? [])]);
      return { scripts, styles };
    };
    const pages = [...readFileSync(join(here, 'routes.tsx'), 'utf8').matchAll(ROUTE)].map(
      ([, address = '', module = '']) => [address, filesOf(sourceOf(module))] as const,
    );
    const layouts = ['organization', 'operator', 'person', 'payment'].map(
      (name) => [name, filesOf(`shell/${name}-layout.tsx`)] as const,
    );
    const source = JSON.stringify({ pages: Object.fromEntries(pages), layouts: Object.fromEntries(layouts) });
    this.emitFile({ type: 'asset', fileName: 'pages.json', source });
  },
};

/** A line of `pages` in routes.tsx. */
const ROUTE = /'(\/[^']*)': \(\) => import\('\.\/(pages\/[^']+)\.js'\)/g;

const sourceOf = (module: string) =>
  [`${module}.tsx`, `${module}.ts`].find((file) => existsSync(join(here, file))) ?? '';

/**
 * Names of classes follow from file and class, so that the service can use those of the frame.
 *
 * @example 'shell/side-bar.module.css', 'link' // 'shell-side-bar-link'
 */
const className = (name: string, file: string) =>
  `${file
    .slice(here.length + 1)
    .replace(/(?:\/page)?\.module\.css.*$/, '')
    .replaceAll('/', '-')}-${name}`;

export default defineConfig({
  root: here,
  base: '/console/',
  publicDir: false,
  plugins: [rootOfModules, react(), compressed, filesOfPages, iconInDocument],
  resolve: {
    // Preact runs what is written for React, at a tenth of its size.
    alias: [
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react(-dom)?$/, replacement: 'preact/compat' },
      { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
    ],
  },
  html: { cspNonce: '__nonce__' },
  css: { modules: { generateScopedName: className } },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // One file: the whole look is smaller than what a second request costs on a slow connection.
    cssCodeSplit: false,
    // The content security policy allows data: for images only. The icon of the tab saves a request.
    assetsInlineLimit: (file) => /\/icons\/icon[^/]*\.svg$/.test(file),
    reportCompressedSize: false,
    license: false,
    rolldownOptions: {
      // The list of shortcuts is part of the log, and is loaded for other pages when somebody asks for it.
      checks: { ineffectiveDynamicImport: false },
      output: {
        chunkFileNames: ({ name, facadeModuleId }) =>
          `assets/${name === 'page' ? (facadeModuleId?.split('/').at(-2) ?? name) : name}-[hash].js`,
        codeSplitting: {
          groups: [{ name: chunkOf(() => here), debugName: 'console', includeDependenciesRecursively: false }],
        },
      },
    },
  },
});
