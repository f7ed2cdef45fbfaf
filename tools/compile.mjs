// `npm run compile`: writes the JavaScript of all sources to dist/, with esbuild and without checking types, in about a second.
// `npm run build` also checks types and writes declarations. This file is JavaScript because nothing is compiled before it.
// With `--console` it compiles the console's modules alone, whose types `npm run build` checks without writing them.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// esbuild is written in Go, and starts with our environment. It ends within seconds: collecting garbage doubles its processor time.
process.env.GOGC ??= 'off';

const root = fileURLToPath(new URL('../', import.meta.url));
const CONSOLE = 'control-plane/console';
const consoleOnly = process.argv.includes('--console');

const config = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8'));
const { outDir, sourceMap, target } = config.compilerOptions;

const folders = consoleOnly ? [CONSOLE] : ['shared', 'control-plane', 'host-agent', 'client', 'bench', 'tools', 'test'];
const sources = folders.flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true }).map((path) => `${folder}/${path}`),
);
const isConsole = (path) => path.startsWith(`${CONSOLE}/`);
const modules = sources.filter((path) => path.endsWith('.ts') && !isConsole(path));
// Vite builds the console; its modules without JSX are also compiled one by one, for the service and for tests.
const scripts = sources.filter((path) => path.endsWith('.ts') && isConsole(path) && !path.endsWith('/vite.config.ts'));
const commonJs = sources.filter((path) => path.endsWith('.cts'));

const common = { absWorkingDir: root, outbase: '.', outdir: outDir, logLevel: 'warning' };
// As tsc writes them: without copies of the sources, which are beside.
const forNode = { ...common, platform: 'node', target, sourcemap: sourceMap, sourcesContent: false };
await Promise.all([
  build({ ...forNode, entryPoints: modules, format: 'esm' }),
  build({ ...forNode, entryPoints: commonJs, format: 'cjs', outExtension: { '.js': '.cjs' } }),
  build({ ...common, entryPoints: scripts, format: 'esm', target }),
]);
