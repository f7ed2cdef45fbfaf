// The failure table: all patterns that explain why a build failed. How to add a row: docs/failures.md.
import type { FailureRow } from './failure-row.js';
import { buildSystemRows } from './failure-rows/build-system.js';
import { compilerRows } from './failure-rows/compilers.js';
import { environmentRows } from './failure-rows/environment.js';
import { languageRows } from './failure-rows/languages.js';
import { linkerRows } from './failure-rows/linker.js';
import { otherToolRows } from './failure-rows/other-tools.js';
import { packageRows } from './failure-rows/packages.js';
import { signingRows } from './failure-rows/signing.js';
import { storeRows } from './failure-rows/store.js';
import { terminalRows } from './failure-rows/terminal.js';
import { testRows } from './failure-rows/tests.js';

/** In order: the first row that matches a line is used. */
export const failureTable: readonly FailureRow[] = [
  ...environmentRows,
  ...terminalRows,
  ...testRows,
  ...signingRows,
  ...compilerRows,
  ...linkerRows,
  ...buildSystemRows,
  ...packageRows,
  ...storeRows,
  ...languageRows,
  ...otherToolRows,
];

export interface Milestone {
  readonly example: string;
  readonly words: readonly string[];
  readonly pattern: RegExp;
  /**
   * tests: tests start. success: a tool succeeded despite earlier errors. passed: the named test (group `test`) passed,
   * possibly on a retry.
   */
  readonly means: 'tests' | 'success' | 'passed';
}

export const milestones: readonly Milestone[] = [
  {
    example: "Test Suite 'All tests' started at 2026-03-01 10:00:00.000.",
    words: ["' started"],
    pattern: /^\s*Test (?:Suite|Case) '[^']{1,300}' started/i,
    means: 'tests',
  },
  {
    example: "Test Case '-[AppTests.CartTests testTotal]' passed (0.003 seconds).",
    words: ["' passed "],
    pattern: /^\s*Test Case '(?<test>[^']{1,300})' passed (?:\(|on ')/i,
    means: 'passed',
  },
  {
    example: '=================================== FAILURES ===================================',
    words: ['= failures =', '= errors ='],
    pattern: /^={3,200} (?:FAILURES|ERRORS) ={3,200}$/,
    means: 'tests',
  },
  { example: 'Testing started', words: ['testing started'], pattern: /^\s*Testing started/, means: 'tests' },
  {
    example: '◇ Test run started.',
    words: ['test run started'],
    pattern: /^\s{0,8}\S{1,8} +Test run started/,
    means: 'tests',
  },
  {
    example: '** BUILD SUCCEEDED **',
    words: ['succeeded'],
    pattern: /^\*\* [A-Z][A-Z -]{2,40} SUCCEEDED \*\*|^\s{0,8}(?:▸ )?(?:Build|Test|Archive) Succeeded\b/,
    means: 'success',
  },
  {
    example: 'Build complete! (12.3s)',
    words: ['build complete!'],
    pattern: /^Build complete!/,
    means: 'success',
  },
  {
    example: 'Pod installation complete! There are 3 dependencies from the Podfile and 3 total pods installed.',
    words: ['pod installation complete!'],
    pattern: /^Pod installation complete!/,
    means: 'success',
  },
];
