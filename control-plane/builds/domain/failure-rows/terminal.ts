// Programs that prompt for input: a build has no interactive terminal.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank } from '../failure-row.js';

const asked = {
  reason: 'script_failed',
  rank: rank.command,
  suggestion: 'no_prompt',
  say: () => failureCause('no_terminal'),
  show: [3, 1],
} satisfies Partial<FailureRow>;

export const terminalRows: readonly FailureRow[] = [
  {
    example: 'bash: line 3: /dev/tty: No such device or address',
    words: ['/dev/tty'],
    pattern: /^(?=.{0,1000}\/dev\/tty\b).{0,1000}\b(?:no such device or address|device not configured)\b/i,
    ...asked,
  },
  {
    example: 'EOFError: EOF when reading a line',
    words: ['eof when reading'],
    pattern: /^EOFError: EOF when reading a line$/,
    ...asked,
  },
  {
    example:
      'getpass.py:91: GetPassWarning: Can not control echo on the terminal.\nWarning: Password input may be echoed.\nEOFError',
    words: ['getpasswarning'],
    pattern: /\bGetPassWarning: Can not control echo/,
    more: { pattern: /^(?<end>EOFError)/, within: 40, required: true },
    ...asked,
  },
  {
    example: 'gpg: signing failed: Inappropriate ioctl for device',
    words: ['inappropriate ioctl'],
    pattern: /^gpg: .{1,300}: Inappropriate ioctl for device$/,
    ...asked,
  },
  {
    example: 'sudo: a terminal is required to read the password; either use the -S option to read from standard input',
    words: ['sudo: '],
    pattern: /^sudo: (?:a terminal is required to read the password|a password is required|no tty present)/,
    ...asked,
    suggestion: 'no_sudo',
    say: () => failureCause('no_terminal_for_sudo'),
  },
];
