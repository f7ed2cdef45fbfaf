// What the report says of a page when its test fails.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { runAll } from '../../harness/run-all.js';

const root = new URL('../../../../', import.meta.url).pathname;
const harness = join(root, 'dist/test/harness/console/browser.js');

const test = `
import t from 'tap';
import { openPage } from ${JSON.stringify(harness)};
const page = async (t) => {
  const { page } = await openPage(t);
  await page.route('**', (route) =>
    route.fulfill({ status: 404, contentType: 'text/html', body: '<main><h1>A build</h1><a href="/x">a link</a></main>' }));
  await page.goto('http://console.example/o/demo?tab=log');
  return page;
};
t.test('one', async (t) => {
  await page(t);
  t.equal(1, 2, 'wrong');
});
t.test('two', async (t) => {
  const shown = await page(t);
  await shown.getByText('nowhere').waitFor({ timeout: 100 });
});
t.test('three', async (t) => {
  await page(t);
  t.pass('nothing to explain');
});
`;

t.test('a failed test says what its page showed, and its last requests', async (t) => {
  const file = join(t.testdir({}), 'fails.mjs');
  writeFileSync(file, test);
  const { ok, report } = await runAll(t, [relative(root, file)]);
  t.notOk(ok, 'it fails');
  const comments = report.split('\n').filter((line) => /^ *# (?!Subtest|\{|time)/.test(line));
  const explained = [
    'page: http://console.example/o/demo?tab=log',
    'heading: A build',
    'request: GET /o/demo?tab=log: 404',
    'browser: 404 /o/demo',
    '- main:',
    '  - heading "A build" [level=1]',
    '  - link "a link":',
  ].map((line) => `    # ${line}`);
  t.same(comments, [...explained, ...explained], 'of the two that fail');
});
