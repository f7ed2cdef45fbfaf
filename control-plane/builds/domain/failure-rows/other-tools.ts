// Any other tool that prints "error:", and tools that only count errors of others.
import { type FailureRow, rank } from '../failure-row.js';

const READ_ON = 'read_given_lines';

/** "0 errors" and the like, and errors that a tool repeats from another. */
const NO_CAUSE = String.raw`(?!\d{1,9} (?:errors?|failures?|warnings?)\b|no errors?\b|fatalError$|none\b|null$|nil$)`;
/** Prefixes in the place of a tool's name that mark a message as no error. */
const NO_TOOL = '(?!(?:[Ww]arning|WARNING|[Nn]ote|NOTE|[Ii]nfo|INFO|[Hh]int|[Dd]ebug|DEBUG|[Rr]emark):)';

export const otherToolRows: readonly FailureRow[] = [
  {
    example: '/Users/ci/work/App/Config.yml:7:3: error: unknown key "totl"',
    words: ['error:'],
    pattern: new RegExp(
      String.raw`^(?<file>[^\s:"'\x60(][^:"]{0,1023}\.[A-Za-z]\w{0,15}):(?<line>\d{1,7}):(?:\d{1,7}:)? (?:fatal )?[Ee]rror: ${NO_CAUSE}(?<message>\S.*)$`,
    ),
    reason: 'script_failed',
    rank: rank.command,
    suggestion: 'correct_error_here',
    elsewhere: READ_ON,
  },
  {
    example: '::error file=config.yml,line=7::unknown key',
    words: ['::error'],
    pattern:
      /^::error (?:[^:]{0,200},)?file=(?<file>[^,:]{1,1024}),(?:[^:]{0,100},)?line=(?<line>\d{1,7})[^:]{0,100}::(?<message>\S.*)/,
    reason: 'script_failed',
    rank: rank.command,
    suggestion: 'correct_error_here',
    elsewhere: READ_ON,
  },
  {
    example: '##[error]The lane did not succeed',
    words: ['##[error]', '::error::'],
    pattern: /^(?:##\[error\]|::error::)(?<message>\S.*)/,
    reason: 'script_failed',
    rank: rank.command,
    suggestion: READ_ON,
  },
  {
    example: '❌ Formatting differs from the rules',
    words: ['❌ ', '[x] '],
    pattern: /^\s{0,8}(?:❌\s{1,4}(?:error: )?|\[x\] error: )(?<message>\S.*)/,
    reason: 'script_failed',
    rank: rank.command,
    suggestion: READ_ON,
  },
  {
    example: "ModuleNotFoundError: No module named 'cart'",
    words: ['error:', 'exception:'],
    pattern: /^(?<message>(?:\w{1,60}\.){0,6}[A-Z]\w{2,60}(?:Error|Exception): \S.*)/,
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: READ_ON,
  },
  {
    example: 'error: exportArchive: The data couldn’t be read because it isn’t in the correct format.',
    words: ['exportarchive'],
    pattern: /^error: (?<message>exportArchive:? \S.*)/,
    reason: 'xcodebuild_failed',
    rank: rank.command,
    suggestion: 'check_export_options',
  },
  {
    example: 'swiftgen: error: It looks like there was an error reading the template.',
    words: ['error:', 'error!:', 'fatal:'],
    pattern: new RegExp(
      String.raw`^(?:(?:\[ERROR\]|${NO_TOOL}[\w.+/@-]{1,100}):? )?(?:fatal )?(?:error|Error|ERROR|FATAL)(?:: |!: )${NO_CAUSE}(?<message>\S.*)$`,
    ),
    reason: 'script_failed',
    rank: rank.command,
    suggestion: READ_ON,
  },
  {
    example: 'fatal: not a git repository (or any of the parent directories): .git',
    words: ['fatal:'],
    pattern: /^(?<message>fatal: \S.*)/,
    reason: 'script_failed',
    rank: rank.command,
    suggestion: READ_ON,
  },
  {
    example: '[!] Something in the lane went wrong',
    words: ['[!] ', 'error domain='],
    pattern:
      /^(?:\[!\] (?<message>(?!Automatically |`[^`]{1,200}` )\S.*(?:error|fail|wrong|could not|couldn).*)|(?<domain>Error Domain=\S.*))/i,
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: READ_ON,
    say: ({ message, domain = '' }) => message ?? domain,
  },
  {
    example: 'cp: VERSION: No such file or directory',
    words: ['no such file or directory', 'permission denied', 'is a directory', 'not a directory'],
    pattern:
      /^(?<message>(?:\/[^\s:]{1,200}\/)?[a-z][\w.+-]{0,60}: (?:\S.*: )?(?:No such file or directory|Permission denied|Is a directory|Not a directory))$/,
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: 'correct_path',
  },
  {
    example: 'invalid byte sequence in US-ASCII (ArgumentError)',
    words: ['invalid byte sequence in us-ascii'],
    pattern: /(?<message>invalid byte sequence in US-ASCII.*)/,
    reason: 'script_failed',
    rank: rank.command,
    suggestion: 'set_lang',
  },
  {
    example: 'make: *** [Makefile:3: app] Error 2',
    words: ['make: ', 'make['],
    pattern: /^(?:g?make)(?:\[\d{1,3}\])?: (?<message>\*\*\* .*)/,
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: READ_ON,
    show: [12, 1],
  },
  {
    example: 'npm error code ELIFECYCLE',
    words: ['npm err'],
    pattern: /^npm (?:ERR!|error) (?<message>code \S.*)/,
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: READ_ON,
    show: [12, 6],
  },
];
