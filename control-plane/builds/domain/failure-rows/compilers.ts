// Swift, clang and similar compilers, and their crashes.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank } from '../failure-row.js';

const CRASH = 'compiler_crashed_on_code';

export const compilerRows: readonly FailureRow[] = [
  {
    example:
      '/Users/ci/work/App/Cart.swift:9:14: error: Force Cast Violation: Force casts should be avoided (force_cast)',
    words: ['violation'],
    pattern:
      /^(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}):(?:\d{1,7}:)? error: (?<message>[^:]{1,100} Violation: .*\([a-z_]{1,60}\))$/,
    reason: 'script_failed',
    rank: rank.cause,
    suggestion: 'follow_lint_rule',
  },
  {
    example: "/Users/ci/work/App/Cart.swift:4:8: error: no such module 'Alamofire'",
    words: ['no such module'],
    pattern:
      /^(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}):(?:\d{1,7}:)? error: (?<message>no such module '[^']{1,200}'.*)/,
    reason: 'compile_error',
    rank: rank.cause,
    suggestion: 'add_module',
  },
  {
    example: "/Users/ci/work/App/Legacy.m:3:9: fatal error: 'Legacy/Header.h' file not found",
    words: ['file not found'],
    pattern:
      /^(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}):(?:\d{1,7}:)? (?:fatal )?error: (?<message>'[^']{1,300}' file not found.*)/,
    reason: 'compile_error',
    rank: rank.cause,
    suggestion: 'check_headers',
  },
  {
    example: "/Users/ci/work/Package.swift:9:1: error: expected ')' in expression list",
    words: ['package.swift:', 'package@swift-'],
    pattern:
      /^(?<file>(?:[^\s:][^:]{0,1023}\/)?Package(?:@swift-[\d.]{1,8})?\.swift):(?<line>\d{1,7}):(?:\d{1,7}:)? error: (?<message>\S.*)$/,
    reason: 'package_resolution_failed',
    rank: rank.cause,
    suggestion: 'correct_package_swift',
  },
  {
    example: "/Users/ci/work/App/Cart.swift:12:9: error: cannot find 'totl' in scope",
    words: ['error:'],
    pattern:
      /^(?:file:\/\/)?(?<file>[^\s:"][^:"]{0,1023}\.(?:swift|swiftinterface|mm?|c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inc|pch|metal|dart|modulemap|s|S|y|l|intentdefinition|mlmodel|xcdatamodeld?|rs|go|java|kt)):(?<line>\d{1,7}):(?:\d{1,7}:)? (?:fatal )?[Ee]rror: (?<message>\S.*)$/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: "error: Unable to resolve module dependency: 'Alamofire' (in target 'App' from project 'App')",
    words: ['module dependency', 'no such module'],
    pattern: /(?:^|: )error: (?<message>[Uu]nable to (?:find|resolve) module dependency: .*|no such module '.*)/,
    reason: 'compile_error',
    rank: rank.cause,
    suggestion: 'add_module',
  },
  {
    example:
      "=== Sources/App/Cart.swift:12:9 ===\n11 │ func total() -> Int {\n12 │   totl\n   │   ╰─ error: cannot find 'totl' in scope",
    words: ['=== ', '╭─', '┌─'],
    pattern:
      /^\s{0,8}(?:===|[╭┌]─{1,8})\s?(?<file>[^\s:"][^:"]{0,1023}\.\w{1,16}):(?<line>\d{1,7})(?::\d{1,7})?(?: ===)?\s*$/,
    more: { pattern: /[╰└`][─-]{1,4} ?error: (?<message>\S.*)/, within: 12, required: true },
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: "macro expansion @Observable:3:7: error: invalid redeclaration of 'total'",
    words: ['macro expansion'],
    pattern: /^macro expansion (?<macro>[^:]{1,200}):\d{1,7}:\d{1,7}: error: (?<message>\S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
    say: ({ macro = '', message = '' }) => failureCause('in_macro', { macro, message }),
  },
  {
    example: "<unknown>:0: error: no such file or directory: '/Users/ci/work/App/Gone.swift'",
    words: ['error:'],
    pattern: /^<[\w -]{1,60}>:\d{1,7}:(?:\d{1,7}:)? (?:fatal )?error: (?<message>\S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: "clang: error: no such file or directory: 'Legacy.m'",
    words: ['error:'],
    pattern:
      /^(?:\S{0,200}\/)?(?:clang(?:\+\+)?|swiftc|swift-frontend|swift-driver|metal|cc|gcc|g\+\+|c\+\+)(?:-\d{1,2})?: (?:fatal )?error: (?!linker command failed|unable to execute command|clang frontend command failed)(?<message>\S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: "::error file=App/Cart.swift,line=12,col=9::cannot find 'totl' in scope",
    words: ['::error'],
    pattern:
      /^::error file=(?<file>[^,:]{1,1024}\.(?:swift|mm?|c|cc|cpp|h|hpp|metal)),line=(?<line>\d{1,7})[^:]{0,100}::(?<message>\S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: "❌  /Users/ci/work/App/Cart.swift:12:9: cannot find 'totl' in scope",
    words: ['❌ ', '[x] '],
    pattern:
      /^\s{0,8}(?:❌|\[x\])\s{1,4}(?<file>[^\s:"][^:"]{0,1023}\.\w{1,16}):(?<line>\d{1,7}):(?:\d{1,7}:)? (?<message>\S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example: "src/cart.ts(12,9): error TS2304: Cannot find name 'totl'.",
    words: ['): error'],
    pattern: /^(?<file>[^\s:()][^:()]{0,1023})\((?<line>\d{1,7}),\d{1,7}\): error (?<message>[A-Z]{1,4}\d{1,6}: \S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    // The format of tsc on a terminal, which the script has.
    example: "src/cart.ts:12:9 - error TS2304: Cannot find name 'totl'.",
    words: [' - error', ...['1', '2', '4', '5', '6', '7', '8', '9'].map((digit) => ` ts${digit}`)],
    pattern:
      /^(?:Error: )?(?<file>[^\s:()][^:()]{0,1023}):(?<line>\d{1,7}):\d{1,7} - error (?<message>[A-Z]{1,4}\d{1,6}: \S.*)/,
    reason: 'compile_error',
    rank: rank.cause,
  },
  {
    example:
      'Please submit a bug report (https://swift.org/contributing/#reporting-bugs) and include the crash backtrace.',
    words: ['submit a bug report'],
    pattern: /\bplease submit a bug report\b/i,
    more: {
      pattern: /^\s*\d{1,3}\.\s(?!Program arguments|Apple |Swift version|Compiling with)(?<detail>\S.{0,300})/,
      within: 8,
    },
    reason: 'compiler_crash',
    rank: rank.cause,
    suggestion: CRASH,
    say: ({ detail }) =>
      detail === undefined ? failureCause('compiler_crashed') : failureCause('compiler_crashed_at', { detail }),
    show: [4, 10],
  },
  {
    example: '0.\tProgram arguments: /usr/bin/swift-frontend -frontend -c Cart.swift',
    words: ['program arguments'],
    pattern: /^0\.\s{1,4}Program arguments: (?:\S{0,1024}\/)?(?<tool>swift-frontend|swiftc?|clang(?:\+\+)?|ld)\b/,
    more: {
      pattern: /^\s*\d{1,3}\.\s(?!Apple |Swift version|Compiling with)(?<detail>\S.{0,300})/,
      within: 6,
    },
    reason: 'compiler_crash',
    rank: rank.cause,
    suggestion: CRASH,
    say: ({ tool = '', detail }) =>
      detail === undefined ? failureCause('tool_crashed', { tool }) : failureCause('tool_crashed_at', { tool, detail }),
    show: [4, 10],
  },
  {
    example: 'clang: error: unable to execute command: Segmentation fault: 11',
    words: ['unable to execute command', 'frontend command failed', 'due to signal'],
    pattern:
      /^(?:\S{1,200}: )?error: (?<message>(?:unable to execute command: |clang frontend command failed |compile command failed due to signal |emit-module command failed due to signal |fatal error encountered during compilation).*)/,
    reason: 'compiler_crash',
    rank: rank.cause,
    suggestion: CRASH,
    show: [6, 4],
  },
  {
    example: 'error: emit-module command failed with exit code 1 (use -v to see invocation)',
    words: ['command failed with exit code'],
    pattern:
      /^error: (?<message>(?:emit-module|compile|frontend|merge-module)[\w-]{0,20} command failed with exit code.*)/,
    reason: 'compile_error',
    rank: rank.symptom,
    show: [12, 1],
  },
  {
    example: 'Command SwiftCompile failed with a nonzero exit code',
    words: ['nonzero exit code'],
    pattern:
      /^Command (?<step>(?:Compile(?:C|Swift\w{0,40}|Metal\w{0,20})|Swift\w{0,40}|\w{0,20}SwiftModule|EmitSwift\w{0,40}|PrecompileSwift\w{0,40}|MergeSwift\w{0,40}|ProcessPCH\w{0,10}|ScanDependencies|PrecompileModule)) failed with a nonzero exit code/,
    reason: 'compile_error',
    rank: rank.symptom,
    say: ({ step = '' }) => failureCause('step_failed', { step }),
    show: [12, 1],
  },
];
