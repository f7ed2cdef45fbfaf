// Runs in: soak
import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { failedAssertions } from '../../tools/test/failed-assertions.js';
import {
  closing,
  createClaims,
  failuresIn,
  passedFiles,
  runProcess,
  runQueues,
  timesIn,
} from '../../tools/test/run-process.js';
import { runAll } from '../harness/run-all.js';

const root = new URL('../../../', import.meta.url).pathname;

t.test('files share a process; failures are reported without the passed tests', async (t) => {
  const files = {
    good: "t.test('one', async (t) => { t.pass('fine'); globalThis.first = 1; });",
    bad: "t.test('two', async (t) => { t.equal(globalThis.first, 1, 'shared'); t.equal(1, 2, 'wrong'); await t.test('3', async (t) => t.ok(0, 'inner')); });\nt.test('thrown', async () => { throw new Error('no luck'); });",
  };
  const dir = t.testdir({});
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(dir, `${name}.mjs`), `import t from 'tap';\n${text}\n`);
    return relative(root, join(dir, `${name}.mjs`));
  });
  const ran = await runAll(t, paths, { times: true });
  t.equal(ran.ok, false);
  t.match(passedFiles(ran.report), /^ok 1 - \S+good\.mjs # time=/);
  const failures = failuresIn(ran.report);
  t.match(failures, /not ok 2 - wrong/);
  t.match(failures, /^not ok 2 - \S+bad\.mjs/m);
  t.notMatch(failures, /^ *ok/m);
  t.match(failedAssertions(ran.report), [
    /^# failed: \S+bad\.mjs › two › wrong \(\S+bad\.mjs:2\)$/,
    /^# failed: \S+bad\.mjs › two › 3 › inner \(/,
    /^# failed: \S+bad\.mjs › thrown › no luck \(/,
  ]);
  t.equal(closing([ran, ran]), '# { total: 10, pass: 4, fail: 6 }');
  t.match(timesIn([ran]).sort(), [/^# +0\.\d\d s \S+(good|bad)\.mjs$/, /bad|good/, /^# +\d\.\d\d s all$/]);
});

t.test('a process that does not come to its end has failed, and nothing that is not there has passed', async (t) => {
  const dir = t.testdir({
    'dies.mjs': "import t from 'tap';\nt.test('x', () => process.kill(process.pid, 'SIGKILL'));\n",
  });
  const dies = await runAll(t, [relative(root, join(dir, 'dies.mjs'))]);
  t.equal(dies.ok, false);
  t.match(dies.report, /ended with SIGKILL/);
  t.match(failedAssertions(dies.report), [/^# failed: \S+dies\.mjs # ended with SIGKILL$/]);
  t.equal(closing([dies]), '# { total: 1, pass: 0, fail: 1 }');
  t.equal((await runAll(t, ['dist/test/nothing.test.js'])).ok, false);
});

t.test('an ended process leaves no listener on the abort signal', async (t) => {
  const { signal } = new AbortController();
  const dir = t.testdir({ 'good.mjs': "import t from 'tap';\nt.pass('fine');\n" });
  await runAll(t, [relative(root, join(dir, 'good.mjs'))], { signal });
  t.same(getEventListeners(signal, 'abort'), []);
});

t.test('processes of one queue run each file once', async (t) => {
  const dir = t.testdir({});
  const { folder, remove } = createClaims();
  t.teardown(remove);
  const files = ['a', 'b', 'c', 'd', 'e'].map((name) => {
    writeFileSync(join(dir, `${name}.mjs`), "import t from 'tap';\nt.pass('fine');\n");
    return relative(root, join(dir, `${name}.mjs`));
  });
  const next = () => runProcess({ files, most: 3 }, { claims: folder, show: false });
  const two = [await next(), await next()];
  t.ok(two.every((one) => one?.ok));
  const namesIn = (report = '') =>
    [...report.matchAll(/^# Subtest: .*\/(\w+)\.mjs$/gm)].map(([, name]) => name).join('');
  t.same(
    two.map((one) => namesIn(one?.report)),
    ['abc', 'de'],
  );
  t.equal(await next(), null, 'nothing is left');
});

t.test('a file at which a process dies has failed, and the files after it run', async (t) => {
  const { folder, remove } = createClaims();
  t.teardown(remove);
  const texts = {
    a: "t.pass('fine');",
    b: "process.kill(process.pid, 'SIGKILL');",
    c: "t.pass('fine');",
    d: "t.equal(1, 2, 'wrong');",
  };
  const dir = t.testdir(
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        `${name}.mjs`,
        `import t from 'tap';\nt.test('x', async (t) => { ${text} });\n`,
      ]),
    ),
  );
  const files = Object.keys(texts).map((name) => relative(root, join(dir, `${name}.mjs`)));
  const ran = await runQueues([{ files, most: files.length }], { jobs: 1, claims: folder, show: false });
  t.match(
    ran.flatMap(({ report }) => failedAssertions(report)),
    [/^# failed: \S+b\.mjs # ended with SIGKILL$/, /^# failed: \S+d\.mjs › x › wrong \(/],
  );
  t.match(
    ran.map(({ report }) => passedFiles(report)),
    [/^ok 1 - \S+a\.mjs/, /^ok 1 - \S+c\.mjs/],
  );
  t.same(
    ran.map(({ ok }) => ok),
    [false, false],
  );
});

t.test('a test that waits for what does not come is stopped, and said', async (t) => {
  const { folder, remove } = createClaims();
  t.teardown(remove);
  const texts = { a: 'setInterval(() => {}, 1000); await new Promise(() => {});', b: "t.pass('fine');" };
  const dir = t.testdir({});
  const files = Object.entries(texts).map(([name, text]) => {
    writeFileSync(join(dir, `${name}.mjs`), `import t from 'tap';\nt.test('x', async (t) => { ${text} });\n`);
    return relative(root, join(dir, `${name}.mjs`));
  });
  const options = { jobs: 1, claims: folder, show: false, silenceMs: 5_000 };
  const ran = await runQueues([{ files, most: files.length }], options);
  t.match(
    ran.map(({ ok, report }) => [ok, failedAssertions(report), passedFiles(report)]),
    [
      [false, /# failed: \S+a\.mjs/, ''],
      [true, [], /^ok 1 - \S+b\.mjs/],
    ],
  );
  t.match(ran[0]?.report, /ended with .* after a long silence/);
});
