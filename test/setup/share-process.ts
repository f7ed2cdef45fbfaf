// Runs several test files in this process, one after another, each as a subtest of its own: most tests of the API spend
// more on loading the service than on what they test.
import { pathToFileURL } from 'node:url';
import t from 'tap';
// Loaded while tap's root still has what it was born with.
import './process-end.js';
import { claim } from './claim.js';
import { processorTimes } from './processor-times.js';

const test = t.test.bind(t);
const { TEST_FILES = '', TEST_MOST = '', TEST_CLAIMS = '', TEST_PROCESS = '', TEST_TIMES } = process.env;
const used = TEST_TIMES ? processorTimes((line) => t.comment(line)) : () => {};
// Not as arguments: tap would name the folders of tests after all of them.
for (const name of ['TEST_FILES', 'TEST_MOST', 'TEST_CLAIMS', 'TEST_PROCESS', 'TEST_TIMES']) delete process.env[name];
// The first was taken for this process by who started it.
const [first = '', ...others] = TEST_FILES.split('\n');
let left = Number(TEST_MOST);
for (const file of [first, ...others]) {
  if (left === 0 || (left < Number(TEST_MOST) && !claim(TEST_CLAIMS, file, TEST_PROCESS))) continue;
  left -= 1;
  await test(file, async (own) => {
    // What the file asks of tap's root is its own subtest's.
    Object.assign(t, {
      test: own.test.bind(own),
      teardown: own.teardown.bind(own),
      testdir: own.testdir.bind(own),
    });
    // tap deletes the folder of testdir() after the teardowns only if there was one before testdir() was called; otherwise
    // it deletes it below processes that still write there.
    own.beforeEach((each) => each.teardown(() => {}));
    await import(pathToFileURL(file).href);
  });
  used(file);
}
