// `npm run compile`: writes the JavaScript of all sources to dist/, with esbuild and without checking types, in about a second.
// `npm run build` also checks types and writes declarations. This file is JavaScript because nothing is compiled before it.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
const CONSOLE = 'control-plane/console';

const readConfig = (path) => JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
const config = readConfig('tsconfig.json');
const { outDir, sourceMap, target } = config.compilerOptions;
const { target: consoleTarget } = readConfig(`${CONSOLE}/tsconfig.json`).compilerOptions;

const sources = config.include.flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true }).map((path) => `${folder}/${path}`),
);
const isConsole = (path) => path.startsWith(`${CONSOLE}/`);
const modules = sources.filter((path) => path.endsWith('.ts') && !isConsole(path));
const scripts = sources.filter((path) => path.endsWith('.ts') && isConsole(path));
const commonJs = sources.filter((path) => path.endsWith('.cts'));

const common = { absWorkingDir: root, outbase: '.', outdir: outDir, logLevel: 'warning' };
const forNode = { ...common, platform: 'node', target, sourcemap: sourceMap };
await Promise.all([
  build({ ...forNode, entryPoints: modules, format: 'esm' }),
  build({ ...forNode, entryPoints: commonJs, format: 'cjs', outExtension: { '.js': '.cjs' } }),
  build({ ...common, entryPoints: scripts, format: 'esm', target: consoleTarget }),
]);
