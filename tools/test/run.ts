// `npm test`, `npm run test:soak` and `npm run test:postgres`: selects the compiled test files and runs them, several processes at a time.
import { execFileSync } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../../test/harness/postgres.js';
import { chooseTests, shareProcesses } from './choose.js';
import { failedAssertions } from './failed-assertions.js';
import { useMemoryFolder } from './memory-folder.js';
import { createReach, leftOutLines, unmetRequirements } from './requirements.js';
import { closing, createClaims, failuresIn, passedFiles, runQueues, timesIn } from './run-process.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns paths below dist/test without `.test.js`. Deletes compiled tests whose source no longer exists. */
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

/** Rebuilds the bundles after `tsc` alone: the tests start the programs from the bundles. */
function renewBundles(): void {
  const changed = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changed('dist/client/cli/start.cjs') >= changed('dist/.tsbuildinfo')) return;
  execFileSync(process.execPath, [join(root, 'dist/tools/bundle/bundle.js')], { stdio: 'inherit' });
}

const hasLongForm = (test: string) => readTest(`${test}.test.ts`).includes("harness/soak.js'");

/** Returns whether a test uses the database that the run chooses, i.e. can run on PostgreSQL. */
function usesDatabase(): (test: string) => boolean {
  const reachedBy = createReach(readTest);
  return (test) => reachedBy(test).has('harness/postgres-database.ts');
}

/** Says that a test beside those of its subject takes too long for `npm test`. */
const isLong = (test: string) => /^\/\/ Runs in: soak$/m.test(readTest(`${test}.test.ts`));

const readTest = (path: string) => readFileSync(join(root, 'test', path), 'utf8');

const [first, ...rest] = process.argv.slice(2);
const soak = first === '--soak';
const given = soak ? rest : process.argv.slice(2);
const options = given.filter((word) => word.startsWith('-'));
const tests = options.includes('--postgres') ? compiledTests().filter(usesDatabase()) : compiledTests();
if (soak) process.env.TEST_SOAK = '1';
const { files, unknown } = chooseTests(tests, {
  soak,
  long: tests.filter(isLong),
  longForms: soak ? tests.filter(hasLongForm) : [],
  wanted: given.filter((word) => !word.startsWith('-')),
});
if (unknown.length > 0 || files.length === 0) {
  console.error(`No such test: ${unknown.join(', ') || 'none was found'}`);
  process.exit(64);
}
const removeMemoryFolder = useMemoryFolder();
const cluster = options.includes('--postgres') ? await startPostgres() : null;
if (cluster) process.env.TEST_POSTGRES = cluster.url('postgres');
const cleanUp = async () => {
  await cluster?.stop();
  removeMemoryFolder();
};
const nameOf = (file: string) => file.slice('dist/test/'.length, -'.test.js'.length);
const unmet = unmetRequirements(files.map(nameOf), readTest);
const runnable = files.filter((file) => !unmet.has(nameOf(file)));
if (runnable.length === 0) {
  console.error(leftOutLines(unmet).join('\n'));
  await cleanUp();
  process.exit(69);
}

renewBundles();
// More than the number of cores, because tests that start processes spend part of their time waiting; six keep two cores busy.
// Browsers compute all the time: more of them at once only wait for each other.
const usualJobs = soak ? availableParallelism() + 2 : Math.max(6, availableParallelism() + 2);
// A server counts the transactions of all its databases as one sequence, so that tests which count revisions would see those of others.
const jobs = cluster ? 1 : Number(options.find((word) => word.startsWith('--jobs='))?.slice(7) ?? usualJobs);
const times = options.includes('--times');
const waiting = shareProcesses(runnable, { soak });
// A single process streams its output.
const show = waiting.length === 1;
const stop = new AbortController();
// Each running process adds a listener.
setMaxListeners(jobs + 1, stop.signal);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    waiting.length = 0;
    stop.abort();
  });
const claims = createClaims();
const ran = await runQueues(waiting, {
  jobs,
  claims: claims.folder,
  show,
  times,
  signal: stop.signal,
  report(one) {
    if (!show) console.log(one.ok ? passedFiles(one.report) : failuresIn(one.report));
  },
});
claims.remove();
await cleanUp();
if (times) console.log(timesIn(ran).join('\n'));
for (const line of leftOutLines(unmet)) console.log(line);
const failed = ran.flatMap(({ report }) => failedAssertions(report));
if (failed.length > 0) console.log(failed.join('\n'));
if (!show) console.log(closing(ran));
process.exit(ran.every(({ ok }) => ok) ? 0 : 1);
