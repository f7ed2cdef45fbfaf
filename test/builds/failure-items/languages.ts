// Kotlin, Gradle, Java, Rust, Go, Python, JavaScript.
import { type Item, WORK } from './item.js';

const PYTEST = '=================================== FAILURES ===================================\n';

export const languageItems: readonly Item[] = [
  {
    lines:
      "\x1b[96msrc/cart.ts\x1b[0m:\x1b[93m12\x1b[0m:\x1b[93m9\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2304: \x1b[0mCannot find name 'totl'.\n\n\x1b[7m12\x1b[0m   totl();\n\nFound 1 error in src/cart.ts:12",
    code: 'compile_error',
    at: ['src/cart.ts', 12],
    says: "TS2304: Cannot find name 'totl'.",
  },
  {
    lines: `e: file://${WORK}/app/src/main/kotlin/Cart.kt:12:9 Unresolved reference 'totl'.`,
    code: 'compile_error',
    at: ['app/src/main/kotlin/Cart.kt', 12],
    says: "Unresolved reference 'totl'.",
  },
  {
    lines: `e: ${WORK}/app/src/main/kotlin/Cart.kt: (12, 9): Unresolved reference: totl\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:compileDebugKotlin'.\n> Compilation error. See log for more details`,
    code: 'compile_error',
    at: ['app/src/main/kotlin/Cart.kt', 12],
    says: 'Unresolved reference: totl',
  },
  {
    lines: `${WORK}/app/src/main/java/Cart.java:12: error: cannot find symbol\n    totl();\n    ^\n  symbol:   method totl()`,
    code: 'compile_error',
    at: ['app/src/main/java/Cart.java', 12],
    says: 'cannot find symbol',
  },
  {
    lines: `[ERROR] ${WORK}/src/main/java/Cart.java:[12,9] cannot find symbol`,
    code: 'compile_error',
    at: ['src/main/java/Cart.java', 12],
    says: 'cannot find symbol',
  },
  {
    lines:
      "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not determine the dependencies of task ':app:build'.\n> Could not resolve all dependencies for configuration ':app:runtimeClasspath'.\n   > Could not resolve com.example:cart:1.2.0.",
    cause: 'Could not resolve all dependencies',
    code: 'package_resolution_failed',
    says: "Could not resolve all dependencies for configuration ':app:runtimeClasspath'.",
  },
  {
    lines:
      "FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'assembel' not found in root project 'cart'.",
    cause: "Task 'assembel'",
    code: 'script_failed',
    says: "Gradle: Task 'assembel' not found in root project 'cart'.",
  },
  {
    lines:
      'CartTest > adds up() FAILED\n    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>\n        at app//CartTest.addsUp(CartTest.kt:31)\n\n> Task :app:test FAILED',
    code: 'test_failure',
    says: 'CartTest > adds up(): org.opentest4j.AssertionFailedError: expected: <4> but was: <3>',
  },
  {
    lines:
      'error[E0425]: cannot find value `totl` in this scope\n  --> src/main.rs:12:9\n   |\n12 |     totl\n   |     ^^^^ not found in this scope\n\nerror: aborting due to 1 previous error\nerror: could not compile `app` (bin "app") due to 1 previous error',
    code: 'compile_error',
    at: ['src/main.rs', 12],
    says: 'cannot find value `totl` in this scope',
  },
  {
    lines:
      'error: expected `;`, found `}`\n  --> src/main.rs:12:9\n   |\nerror: could not compile `app` (bin "app") due to 1 previous error',
    code: 'compile_error',
    at: ['src/main.rs', 12],
    says: 'expected `;`, found `}`',
  },
  {
    lines:
      "running 2 tests\ntest tests::adds_up ... FAILED\n\nfailures:\n\n---- tests::adds_up stdout ----\n\nthread 'tests::adds_up' panicked at src/cart.rs:31:9:\nassertion `left == right` failed\n  left: 3\n right: 4\n\nerror: test failed, to rerun pass `--lib`",
    cause: "thread 'tests::adds_up'",
    code: 'test_failure',
    at: ['src/cart.rs', 31],
    says: 'tests::adds_up: assertion `left == right` failed',
    exitCode: 101,
  },
  {
    lines:
      "thread 'main' (4711) panicked at src/main.rs:12:9:\nindex out of bounds: the len is 3 but the index is 4\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    code: 'script_failed',
    at: ['src/main.rs', 12],
    says: 'The program panicked: index out of bounds: the len is 3 but the index is 4',
    exitCode: 101,
  },
  {
    lines: '# example.com/app/cart\n./cart/total.go:12:9: undefined: totl',
    cause: 'total.go',
    code: 'compile_error',
    at: ['cart/total.go', 12],
    says: 'undefined: totl',
    exitCode: 1,
  },
  {
    lines:
      '--- FAIL: TestTotal (0.00s)\n    cart_test.go:31: got 3, want 4\nFAIL\nFAIL\texample.com/app/cart\t0.003s\nFAIL',
    code: 'test_failure',
    at: ['cart_test.go', 31],
    says: 'TestTotal: got 3, want 4',
    exitCode: 1,
  },
  {
    lines: `panic: runtime error: index out of range [4] with length 3\n\ngoroutine 1 [running]:\nmain.total(...)\n\t/usr/local/go/src/sort/sort.go:12 +0x1d\nmain.main()\n\t${WORK}/cmd/app/main.go:31 +0x1d\nexit status 2`,
    code: 'script_failed',
    at: ['cmd/app/main.go', 31],
    says: 'panic: runtime error: index out of range [4] with length 3',
    exitCode: 2,
  },
  {
    lines:
      '=================================== FAILURES ===================================\n____________________________________ test_total ____________________________________\n\n    def test_total():\n>       assert total() == 4\nE       assert 3 == 4\nE        +  where 3 = total()\n\ntests/test_cart.py:31: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 11 passed in 0.12s',
    cause: 'E       assert 3 == 4',
    code: 'test_failure',
    at: ['tests/test_cart.py', 31],
    says: 'assert 3 == 4',
    exitCode: 1,
  },
  ...[
    // --tb=short: the deepest frame outside of Python's own folders.
    {
      lines: `${PYTEST}__________________________________ test_total __________________________________\ntests/test_cart.py:5: in test_total\n    assert total() == 4\nE   assert 3 == 4\nE    +  where 3 = total()\n=========================== short test summary info ============================\nFAILED tests/test_cart.py::test_total - assert 3 == 4`,
      cause: 'tests/test_cart.py:5: in test_total',
      at: ['tests/test_cart.py', 5],
      says: 'assert 3 == 4',
    },
    {
      lines: `${PYTEST}tests/test_cart.py:7: in test_parse\n    parse("x")\ntests/helper.py:3: in parse\n    def parse(x): return json.loads(x)\n                         ^^^^^^^^^^^^^\n/opt/homebrew/lib/python3.11/json/__init__.py:346: in loads\n    return _default_decoder.decode(s)\nE   json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)`,
      cause: 'tests/helper.py:3: in parse',
      at: ['tests/helper.py', 3],
      says: 'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    },
    // --tb=line, before pytest 9 and since.
    {
      lines: `${PYTEST}${WORK}/tests/test_cart.py:5: assert 3 == 4\n${WORK}/tests/test_cart.py:9: AssertionError: wrong total`,
      cause: 'tests/test_cart.py:5: assert 3 == 4',
      at: ['tests/test_cart.py', 5],
      says: 'assert 3 == 4',
    },
    {
      lines: `${PYTEST}E   AssertionError: wrong total\n    assert 3 == 4\n     +  where 3 = total()\n${WORK}/tests/test_cart.py:9: AssertionError: wrong total`,
      cause: 'E   AssertionError: wrong total',
      at: ['tests/test_cart.py', 9],
      says: 'AssertionError: wrong total',
    },
  ].map(
    (item): Item => ({
      ...item,
      at: [String(item.at[0]), Number(item.at[1])],
      code: 'test_failure',
      exitCode: 1,
    }),
  ),
  {
    lines: 'FAILED tests/test_cart.py::test_total - assert 3 == 4',
    code: 'test_failure',
    says: 'tests/test_cart.py::test_total: assert 3 == 4',
    exitCode: 1,
  },
  {
    lines:
      'FAIL src/cart.test.ts (5.1 s)\n  totals\n    ✕ adds up (3 ms)\n\n  ● totals › adds up\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 4\n    Received: 3\n\n      29 |   test("adds up", () => {\n    > 31 |     expect(total()).toBe(4);\n         |                     ^\n\n      at Object.toThrow (node_modules/expect/build/index.js:12:3)\n      at Object.toBe (src/cart.test.ts:31:19)\n\nTests:       1 failed, 11 passed, 12 total',
    cause: '● totals › adds up',
    code: 'test_failure',
    at: ['src/cart.test.ts', 31],
    says: 'totals › adds up failed.',
    exitCode: 1,
  },
  {
    lines:
      ' FAIL  src/cart.test.ts > totals > adds up\nAssertionError: expected 3 to be 4 // Object.is equality\n\n- Expected\n+ Received\n\n- 4\n+ 3\n\n ❯ src/cart.test.ts:31:19',
    cause: 'adds up',
    code: 'test_failure',
    at: ['src/cart.test.ts', 31],
    says: 'src/cart.test.ts > totals > adds up failed.',
    exitCode: 1,
  },
];
