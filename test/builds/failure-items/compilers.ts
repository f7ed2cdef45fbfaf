// Swift and clang, old and new styles, and their crashes.
import { DERIVED, type Item, WORK } from './item.js';

const CRASHED = { code: 'compiler_crash', fault: 'unknown' } as const;

export const compilerItems: readonly Item[] = [
  {
    lines: `${WORK}/App/Cart.swift:12:9: error: cannot find 'totl' in scope\n        totl += 1\n        ^~~~\n        total`,
    code: 'compile_error',
    at: ['App/Cart.swift', 12],
    says: "cannot find 'totl' in scope",
  },
  {
    lines: `${WORK}/App/Cart.swift:12:9: error: cannot convert value of type 'String' to expected argument type 'Int'`,
    code: 'compile_error',
    at: ['App/Cart.swift', 12],
    says: "cannot convert value of type 'String' to expected argument type 'Int'",
  },
  {
    lines: `${WORK}/Lib/pay.c:21:12: fatal error: 'openssl/ssl.h' file not found\n#include <openssl/ssl.h>\n         ^~~~~~~~~~~~~~~\n1 error generated.`,
    code: 'compile_error',
    at: ['Lib/pay.c', 21],
    says: "'openssl/ssl.h' file not found",
  },
  {
    lines: `${WORK}/Lib/Pay.m:33:5: error: use of undeclared identifier 'amout'; did you mean 'amount'?\n    amout = 3;\n    ^~~~~\n    amount`,
    code: 'compile_error',
    at: ['Lib/Pay.m', 33],
    says: "use of undeclared identifier 'amout'; did you mean 'amount'?",
  },
  {
    lines: `${WORK}/Lib/Pay.mm:8: error: expected ';' after top level declarator`,
    code: 'compile_error',
    at: ['Lib/Pay.mm', 8],
    says: "expected ';' after top level declarator",
  },
  {
    lines: `${WORK}/Lib/Pay.m:40:14: error: unused variable 'sum' [-Werror,-Wunused-variable]`,
    code: 'compile_error',
    at: ['Lib/Pay.m', 40],
    says: "unused variable 'sum' [-Werror,-Wunused-variable]",
  },
  {
    lines: `In file included from ${WORK}/Lib/Pay.m:1:\n${WORK}/Lib/Pay.h:7:1: error: unknown type name 'Mony'`,
    cause: 'Pay.h:7:1',
    code: 'compile_error',
    at: ['Lib/Pay.h', 7],
    says: "unknown type name 'Mony'",
  },
  {
    lines: `${WORK}/App/Cart.swift:4:8: error: no such module 'Alamofire'\nimport Alamofire\n       ^`,
    code: 'compile_error',
    at: ['App/Cart.swift', 4],
    says: "no such module 'Alamofire'",
  },
  {
    lines: "error: no such module 'Alamofire'",
    code: 'compile_error',
    says: "no such module 'Alamofire'",
  },
  {
    lines: "error: Unable to find module dependency: 'Alamofire' (in target 'App' from project 'App')",
    code: 'compile_error',
    says: "Unable to find module dependency: 'Alamofire' (in target 'App' from project 'App')",
  },
  {
    lines: 'error: The file “Cart.swift” couldn’t be opened because you don’t have permission to view it.',
    code: 'script_failed',
    says: 'The file “Cart.swift” couldn’t be opened because you don’t have permission to view it.',
  },
  {
    lines: "<unknown>:0: error: no such file or directory: '/Users/ci/work/App/Gone.swift'",
    code: 'compile_error',
    says: "no such file or directory: 'App/Gone.swift'",
  },
  {
    lines: `<module-includes>:1:1: error: umbrella header 'Cart.h' not found\n#import "Cart.h"\n^`,
    code: 'compile_error',
    says: "umbrella header 'Cart.h' not found",
  },
  {
    lines: `${WORK}/App/main.swift:3:12: error: value of type 'Cart' has no member 'totl'\n1 | let cart = Cart()\n2 | \n3 | print(cart.totl)\n  |            \`- error: value of type 'Cart' has no member 'totl'\n4 |`,
    code: 'compile_error',
    at: ['App/main.swift', 3],
    says: "value of type 'Cart' has no member 'totl'",
  },
  {
    lines: `=== Sources/App/main.swift:3:12 ===\n1 │ let cart = Cart()\n2 │\n3 │ print(cart.totl)\n  │            ╰─ error: value of type 'Cart' has no member 'totl'`,
    code: 'compile_error',
    at: ['Sources/App/main.swift', 3],
    says: "value of type 'Cart' has no member 'totl'",
  },
  {
    lines: `  ╭─ ${WORK}/Sources/App/main.swift:3:12\n3 │ print(cart.totl)\n  │            ╰─ error: value of type 'Cart' has no member 'totl'`,
    code: 'compile_error',
    at: ['Sources/App/main.swift', 3],
    says: "value of type 'Cart' has no member 'totl'",
  },
  {
    lines: "macro expansion @Observable:1:2: error: invalid redeclaration of 'total'",
    code: 'compile_error',
    says: "In the expansion of @Observable: invalid redeclaration of 'total'",
  },
  {
    lines: `/var/folders/zz/T/swift-generated-sources/@__swiftmacro_3App4CartV10ObservablefMr_.swift:1:2: error: type 'Cart' has no member 'access'`,
    code: 'compile_error',
    says: "type 'Cart' has no member 'access'",
  },
  {
    lines: `${WORK}/App/Shaders.metal:17:3: error: use of undeclared identifier 'uv'`,
    code: 'compile_error',
    at: ['App/Shaders.metal', 17],
    says: "use of undeclared identifier 'uv'",
  },
  {
    lines: "clang: error: no such file or directory: 'Legacy.m'\nclang: error: no input files",
    code: 'compile_error',
    says: "no such file or directory: 'Legacy.m'",
  },
  {
    lines: `${DERIVED}/Build/Intermediates.noindex/App.build/DerivedSources/Model+CoreDataClass.swift:3:1: error: redundant conformance\n`,
    code: 'compile_error',
    says: 'redundant conformance',
  },
  {
    lines:
      'Please submit a bug report (https://swift.org/contributing/#reporting-bugs) and include the crash backtrace.\nStack dump:\n0.\tProgram arguments: /usr/bin/swift-frontend -frontend -c Cart.swift\n1.\tApple Swift version 6.0.3\n2.\tWhile type-checking statement at [Cart.swift:3:1]',
    ...CRASHED,
    says: 'The compiler crashed: While type-checking statement at [Cart.swift:3:1]',
  },
  {
    lines:
      'clang: error: clang frontend command failed with exit code 139 (use -v to see invocation)\nclang: note: diagnostic msg: see crash report',
    ...CRASHED,
    says: 'clang frontend command failed with exit code 139 (use -v to see invocation)',
  },
  {
    lines:
      'Stack dump:\n0.\tProgram arguments: /usr/bin/clang -cc1 Pay.m\n1.\t<eof> parser at end of file\n2.\tCode generation',
    cause: 'Program arguments',
    ...CRASHED,
    says: 'clang crashed: <eof> parser at end of file',
  },
  {
    lines: 'clang: error: unable to execute command: Abort trap: 6',
    ...CRASHED,
    says: 'unable to execute command: Abort trap: 6',
  },
  {
    lines: 'clang: error: unable to execute command: Segmentation fault: 11',
    ...CRASHED,
    says: 'unable to execute command: Segmentation fault: 11',
  },
  {
    lines: 'error: compile command failed due to signal 6 (use -v to see invocation)',
    ...CRASHED,
    says: 'compile command failed due to signal 6 (use -v to see invocation)',
  },
  {
    lines: 'error: compile command failed due to signal 9 (use -v to see invocation)',
    code: 'killed',
    fault: 'unknown',
    says: 'A compiler process was killed by the system (signal 9), usually for lack of memory.',
  },
];
