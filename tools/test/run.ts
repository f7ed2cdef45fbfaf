// `npm test` and `npm run test:soak`: chooses the compiled test files and hands them to tap.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
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
const ran = spawnSync(
  join(root, 'node_modules/.bin/tap'),
  [`--jobs=${Math.max(2, availableParallelism())}`, ...options, ...files],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
if (ran.error) throw ran.error;
process.exit(ran.status ?? 1);
