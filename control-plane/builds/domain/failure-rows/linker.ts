// Apple's old and new linker, and linkers of other systems.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import type { Message } from '../../../../shared/messages/message.js';
import { type FailureRow, type Found, rank } from '../failure-row.js';

const MISSING = 'add_library';

const undefinedSymbol = ({ symbol, arch }: Found): Message => {
  if (symbol === undefined)
    return arch === undefined ? failureCause('undefined_symbols') : failureCause('undefined_symbols_for', { arch });
  return arch === undefined
    ? failureCause('undefined_symbol', { symbol })
    : failureCause('undefined_symbol_for', { symbol, arch });
};

export const linkerRows: readonly FailureRow[] = [
  {
    example: 'Undefined symbols for architecture arm64:\n  "_OBJC_CLASS_$_Cart", referenced from:',
    words: ['undefined symbol'],
    pattern: /^(?:❌ +)?(?:ld: )?Undefined symbols?(?: for architecture (?<arch>\w{1,20}))?:?(?: (?<symbol>\S.*))?$/i,
    more: { pattern: /^(?:\s+"?|> Symbol: )(?<symbol>[^"\s].*?)"?(?:, referenced from:|$)/, within: 2 },
    reason: 'link_error',
    rank: rank.cause,
    suggestion: 'link_symbol',
    say: undefinedSymbol,
    show: [2, 8],
  },
  {
    example: "duplicate symbol '_total' in:\n    /Users/ci/work/build/Cart.o\n    /Users/ci/work/build/Order.o",
    words: ['duplicate symbol'],
    pattern: /^(?:ld: )?duplicate symbol '?(?<symbol>[^']{1,1000}?)'?(?: in:?(?: .*)?)?$/,
    reason: 'link_error',
    rank: rank.cause,
    suggestion: 'symbol_twice',
    say: ({ symbol = '' }) => failureCause('duplicate_symbol', { symbol }),
    show: [1, 6],
  },
  {
    example: "ld: library 'sqlcipher' not found",
    words: ['not found'],
    pattern:
      /^(?:\S{0,200}\/)?ld: (?<message>(?:library|framework) (?:'[^']{1,300}' not found|not found for -l\S{1,300}|not found \S{1,300}).*)/,
    reason: 'link_error',
    rank: rank.cause,
    suggestion: MISSING,
  },
  {
    example:
      "ld: building for 'iOS-simulator', but linking in object file (/Users/ci/work/libs/libPay.a[arm64][2](pay.o)) built for 'iOS'",
    words: ['building for'],
    pattern: /^(?:\S{0,200}\/)?ld: (?<message>building for '?[^,]{1,60}, but linking in .+)/,
    reason: 'link_error',
    rank: rank.cause,
    suggestion: 'binary_for_other_platform',
  },
  {
    example: '/usr/bin/ld: cannot find -lsqlite3: No such file or directory',
    words: ['cannot find'],
    pattern: /^(?:\S{0,200}\/)?ld(?:\.\w{1,10})?: (?<message>cannot find \S.*)/,
    reason: 'link_error',
    rank: rank.cause,
    suggestion: MISSING,
  },
  {
    example: "Sources/App/cart.c:12: undefined reference to `total'",
    words: ['undefined reference'],
    pattern: /(?:^(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}): |: )(?<message>undefined reference to .{1,600})/,
    reason: 'link_error',
    rank: rank.cause,
  },
  {
    example: 'ld: symbol(s) not found for architecture arm64',
    words: ['not found for', 'duplicate symbol'],
    pattern: /^(?:\S{0,200}\/)?ld: (?<message>symbol\(s\) not found for .*|\d{1,7} duplicate symbols? for .*)/,
    reason: 'link_error',
    rank: rank.symptom,
    show: [8, 1],
  },
  {
    example: 'ld: file not found: /Users/ci/work/build/libCart.a',
    words: ['ld: '],
    pattern: /^(?:\S{0,200}\/)?ld: (?!warning\b|note\b|ignoring )(?:error: )?(?<message>[a-z].{0,1000})$/i,
    reason: 'link_error',
    rank: rank.cause,
  },
  {
    example: 'clang: error: linker command failed with exit code 1 (use -v to see invocation)',
    words: ['link command failed', 'linker command failed', 'ld returned'],
    pattern:
      /^(?:\S{1,200}: )?error: (?<message>link(?:er)? command failed with exit code \d{1,3}|ld returned \d{1,3} exit status)/,
    reason: 'link_error',
    rank: rank.symptom,
    show: [12, 1],
  },
  {
    example: 'Command Ld failed with a nonzero exit code',
    words: ['nonzero exit code'],
    pattern: /^Command (?<step>Ld|Libtool|CreateUniversalBinary) failed with a nonzero exit code/,
    reason: 'link_error',
    rank: rank.symptom,
    say: ({ step = '' }) => failureCause('step_failed', { step }),
    show: [12, 1],
  },
];
