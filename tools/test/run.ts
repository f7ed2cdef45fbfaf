// `npm test` and `npm run test:soak`: chooses the compiled test files and hands them to tap.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { chooseTests } from './choose.js';

const root = new URL('../../../', import.meta.url).pathname;

/** Paths below dist/test without `.test.js`; tests whose source is gone are removed on the way. */
function compiledTests(): string[] {
  const folder = join(root, 'dist/test');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.js'))
    .map((path) => path.slice(0, -'.test.js'.length));
  return names.filter((name) => {
    if (existsSync(join(root, 'test', `${name}.test.ts`))) return true;
    rmSync(join(folder, `${name}.test.js`));
    return false;
  });
}

const tap = join(root, 'node_modules/.bin/tap');

/**
 * Builds tap with the plugins that .taprc names, once for each installation. tap would do so itself when it runs, but
 * still start every file of that run with the plugins that it came with; TypeScript's takes a second a file.
 */
function buildTap(): void {
  const settings = readFileSync(join(root, '.taprc'), 'utf8');
  const marker = join(root, 'node_modules/.taprc-built');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === settings) return;
  const built = spawnSync(tap, ['build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (built.error) throw built.error;
  if (built.status !== 0) throw new Error(`tap build ended with ${built.status}`);
  writeFileSync(marker, settings);
}

const [first, ...rest] = process.argv.slice(2);
const soak = first === '--soak';
const given = soak ? rest : process.argv.slice(2);
const options = given.filter((word) => word.startsWith('-'));
const { files, unknown } = chooseTests(compiledTests(), {
  soak,
  wanted: given.filter((word) => !word.startsWith('-')),
});
if (unknown.length > 0 || files.length === 0) {
  console.error(`No such test: ${unknown.join(', ') || 'none was found'}`);
  process.exit(64);
}
buildTap();
const ran = spawnSync(tap, [`--jobs=${Math.max(2, availableParallelism())}`, ...options, ...files], {
  cwd: root,
  stdio: 'inherit',
});
if (ran.error) throw ran.error;
process.exit(ran.status ?? 1);
