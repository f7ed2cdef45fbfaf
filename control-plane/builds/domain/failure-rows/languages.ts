// Compilers, build tools and test runners of other languages: Kotlin, Gradle and Java, Rust, Go, Python, JavaScript.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank } from '../failure-row.js';

const PANIC = 'panicked_here';
const PANIC_ELSEWHERE = 'panicked';

/** A frame in the project's own JavaScript or TypeScript, as `at total (src/cart.ts:31:19)`. */
const OWN_FRAME =
  /^\s{2,12}at (?!.{0,400}node_modules|.{0,200}node:)(?:.{1,200} )?\(?(?<file>[^\s():]{1,1024}\.[cm]?[jt]sx?):(?<line>\d{1,7}):\d{1,7}\)?$/;

/** How pytest reports begin. */
const PYTEST_ERROR = String.raw`(?:assert |fixture |Failed(?:: |$)|(?:\w{1,60}\.){0,6}\w{2,80}(?:Error|Exception|Exit|Interrupt)(?:: |$))`;
const PYTEST_LINE = new RegExp(`^E {3,12}(?<message>${PYTEST_ERROR}.*)$`);

export const languageRows: readonly FailureRow[] = [
  {
    example: "e: file:///Users/ci/work/app/src/main/kotlin/Cart.kt:12:9 Unresolved reference 'totl'.",
    words: ['e: file:', 'e: /', '.kt:', '.kts:'],
    pattern:
      /^e: (?:file:\/\/)?(?<file>[^\s:][^:]{0,1023}\.kts?):(?: \((?<line>\d{1,7}), \d{1,7}\):|(?<row>\d{1,7}):\d{1,7}) (?<message>\S.*)$/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: '[ERROR] /Users/ci/work/src/main/java/Cart.java:[12,9] cannot find symbol',
    words: ['[error] '],
    pattern:
      /^\[ERROR\] (?<file>[^\s:][^:]{0,1023}\.(?:java|kt|scala|groovy)):\[(?<line>\d{1,7}),\d{1,7}\] (?<message>\S.*)$/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: '   > Could not resolve com.example:cart:1.2.0.',
    words: ['could not '],
    pattern:
      /^\s{0,12}(?:> )?(?<message>Could not (?:resolve all |(?:resolve|find|download) [\w.-]{1,200}:[\w.-]|get resource |GET ').*)$/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'check_gradle_repositories',
  },
  {
    example:
      'CartTest > adds up() FAILED\n    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>\n        at app//CartTest.addsUp(CartTest.kt:31)',
    words: [' failed'],
    pattern: /^(?<test>[^>\s][^>]{0,200}(?: > [^>]{1,200}){1,4}) FAILED$/,
    more: { pattern: /^\s{4,12}(?<detail>[\w.$]{1,200}(?:Error|Exception|Failure)\b.*)$/, within: 2 },
    reason: 'test_failure',
    rank: rank.test,
    say: ({ test = '', detail }) =>
      detail === undefined ? failureCause('test_failed', { test }) : `${test}: ${detail}`,
    show: [1, 5],
  },
  {
    example:
      "* What went wrong:\nExecution failed for task ':app:compileDebugKotlin'.\n> Compilation error. See log for more details",
    words: ['what went wrong'],
    pattern: /^\* What went wrong:$/,
    more: { pattern: /^(?<detail>\S.*)$/, within: 1 },
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: 'read_gradle',
    say: ({ detail }) => (detail === undefined ? failureCause('gradle_failed') : `Gradle: ${detail}`),
    show: [1, 6],
  },
  {
    example: 'error[E0425]: cannot find value `totl` in this scope\n  --> src/main.rs:12:9',
    words: ['error[e'],
    pattern: /^error\[E\d{4}\]: (?<message>\S.*)$/,
    more: { pattern: /^\s{1,12}--> (?<file>[^\s:][^:]{0,1023}):(?<line>\d{1,7}):\d{1,7}$/, within: 1 },
    reason: 'compile_error',
    rank: rank.cause,
    show: [1, 8],
  },
  {
    example: 'error: expected `;`, found `}`\n  --> src/main.rs:12:9',
    words: ['error: '],
    pattern: /^error: (?<message>(?!aborting due to |could not compile )\S.*)$/,
    more: {
      pattern: /^\s{1,12}--> (?<file>[^\s:][^:]{0,1023}\.rs):(?<line>\d{1,7}):\d{1,7}$/,
      within: 1,
      required: true,
    },
    reason: 'compile_error',
    rank: rank.cause,
    show: [1, 8],
  },
  {
    example: 'error: could not compile `app` (bin "app") due to 1 previous error',
    words: ['could not compile `'],
    pattern: /^error: (?<message>could not compile `.*)$/,
    reason: 'compile_error',
    rank: rank.symptom,
    show: [12, 1],
  },
  {
    example: "thread 'tests::adds_up' panicked at src/cart.rs:31:9:\nassertion `left == right` failed",
    words: ['panicked at '],
    pattern:
      /^thread '(?<test>[^']{0,200}::[^']{1,200})' (?:\(\d{1,12}\) )?panicked at (?<file>[^\s:'][^:]{0,1023}):(?<line>\d{1,7}):\d{1,7}:$/,
    more: { pattern: /^(?<detail>\S.*)$/, within: 1 },
    reason: 'test_failure',
    rank: rank.test,
    say: ({ test = '', detail }) =>
      detail === undefined ? failureCause('test_panicked', { test }) : `${test}: ${detail}`,
  },
  {
    example: "thread 'main' panicked at src/main.rs:12:9:\nindex out of bounds: the len is 3 but the index is 4",
    words: ['panicked at '],
    pattern:
      /^thread '[^']{1,200}' (?:\(\d{1,12}\) )?panicked at (?<file>[^\s:'][^:]{0,1023}):(?<line>\d{1,7}):\d{1,7}:$/,
    more: { pattern: /^(?<detail>\S.*)$/, within: 1 },
    reason: 'script_failed',
    rank: rank.command,
    suggestion: PANIC,
    elsewhere: PANIC_ELSEWHERE,
    say: ({ detail }) =>
      detail === undefined ? failureCause('program_panicked') : failureCause('program_panicked_at', { detail }),
  },
  {
    example: 'test tests::adds_up ... FAILED',
    words: ['... failed'],
    pattern: /^test (?<test>\S.{0,300}) \.\.\. FAILED$/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test = '' }) => failureCause('test_failed', { test }),
  },
  {
    example: './cart/total.go:12:9: undefined: totl',
    words: ['.go:'],
    pattern:
      /^(?:vet: )?(?<file>[^\s:"][^:"]{0,1023}\.go):(?<line>\d{1,7}):\d{1,7}: (?!(?:warning|note|info|hint)\b)(?<message>\S.*?)(?<!\([a-z]{2,30}\))$/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: '--- FAIL: TestTotal (0.00s)\n    cart_test.go:31: got 3, want 4',
    words: ['--- fail: '],
    pattern: /^\s{0,16}--- FAIL: (?<test>\S{1,300}) \(/,
    more: {
      pattern: /^\s{4,20}(?<file>[^\s:]{1,300}\.go):(?<line>\d{1,7}): (?<detail>\S.*)$/,
      within: 3,
    },
    reason: 'test_failure',
    rank: rank.test,
    say: ({ test = '', detail }) =>
      detail === undefined ? failureCause('test_failed', { test }) : `${test}: ${detail}`,
  },
  {
    example: 'panic: runtime error: index out of range [4] with length 3',
    words: ['panic: '],
    pattern: /^panic: (?<message>\S.*)$/,
    more: {
      pattern:
        /^\t(?<file>(?!\/usr\/local\/go\/|.{0,300}\/pkg\/mod\/|.{0,300}\/libexec\/src\/)[^\s:]{1,1024}\.go):(?<line>\d{1,7})(?: \+0x[\da-f]{1,16})?$/,
      within: 30,
    },
    reason: 'script_failed',
    rank: rank.command,
    suggestion: PANIC,
    elsewhere: PANIC_ELSEWHERE,
    say: ({ message = '' }) => `panic: ${message}`,
  },
  {
    example: 'tests/test_cart.py:31: in test_total\n    assert total() == 4\nE   assert 3 == 4',
    words: ['.py:'],
    pattern:
      /^(?!.{0,300}\/(?:(?:site|dist)-packages|lib\/python[\d.]{1,6})\/)(?<file>[^\s:][^:]{0,1023}\.py):(?<line>\d{1,7}): in \S{1,300}$/,
    more: {
      pattern: PYTEST_LINE,
      within: 60,
      required: true,
    },
    reason: 'test_failure',
    rank: rank.test,
  },
  {
    example: 'E       AssertionError: assert 3 == 4\n\ntests/test_cart.py:31: AssertionError',
    words: ['e   '],
    pattern: PYTEST_LINE,
    more: {
      pattern: new RegExp(String.raw`^(?<file>[^\s:][^:]{0,1023}\.py):(?<line>\d{1,7}): (?:\w{1,80}$|${PYTEST_ERROR})`),
      within: 40,
    },
    reason: 'test_failure',
    rank: rank.test,
  },
  {
    example: '/Users/ci/work/tests/test_cart.py:32: assert 3 == 4',
    words: ['.py:'],
    pattern: new RegExp(String.raw`^(?<file>[^\s:][^:]{0,1023}\.py):(?<line>\d{1,7}): (?<message>${PYTEST_ERROR}.*)$`),
    during: 'tests',
    reason: 'test_failure',
    rank: rank.test,
  },
  {
    example: 'FAILED tests/test_cart.py::test_total - assert 3 == 4',
    words: ['.py::'],
    pattern: /^(?:FAILED|ERROR) (?<test>[^\s:]{1,500}\.py::\S{1,300})(?: - (?<detail>\S.*))?$/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test = '', detail }) =>
      detail === undefined ? failureCause('test_failed', { test }) : `${test}: ${detail}`,
  },
  {
    example:
      'FAIL  src/cart.test.ts > totals > adds up\nAssertionError: expected 3 to be 4 // Object.is equality\n ❯ src/cart.test.ts:31:19',
    words: ['fail '],
    pattern: /^\s{0,4}FAIL {1,2}(?<test>\S{1,300}\.[cm]?[jt]sx? > .{1,300})$/,
    more: {
      pattern:
        /^\s{1,4}❯ (?:\S{1,200} )?(?<file>(?!.{0,300}node_modules)[^\s:]{1,1024}\.[cm]?[jt]sx?):(?<line>\d{1,7}):\d{1,7}$/,
      within: 20,
    },
    reason: 'test_failure',
    rank: rank.test,
    say: ({ test = '' }) => failureCause('test_failed', { test }),
    show: [1, 8],
  },
  {
    example:
      '  ● totals › adds up\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 4\n    Received: 3\n\n      at Object.toBe (src/cart.test.ts:31:19)',
    words: ['● '],
    pattern: /^ {2}● (?!Console$|Validation |Deprecation )(?<test>\S.{0,300})$/,
    more: { pattern: OWN_FRAME, within: 40 },
    reason: 'test_failure',
    rank: rank.test,
    say: ({ test = '' }) => failureCause('test_failed', { test }),
    show: [1, 10],
  },
  {
    example: 'FAIL src/cart.test.ts (5.1 s)',
    words: ['fail '],
    pattern: /^\s{0,4}FAIL {1,2}(?<test>\S{1,300}\.[cm]?[jt]sx?)(?: \([\d.]{1,10} m?s\))?$/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test: group = '' }) => failureCause('tests_failed_in', { group }),
    show: [1, 12],
  },
  {
    example: 'FAIL\texample.com/app/cart\t0.003s',
    words: ['fail\t'],
    pattern: /^FAIL\t(?<test>\S{1,300})(?:\t| \[)/,
    reason: 'test_failure',
    rank: rank.symptom,
    say: ({ test: group = '' }) => failureCause('tests_failed_in', { group }),
    show: [12, 1],
  },
];
