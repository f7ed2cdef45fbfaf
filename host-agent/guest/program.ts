// The programs that run in a guest. Nothing is installed there: each call sends its program.
import { programText } from './program-text.js';

export interface GuestProgram {
  readonly language: 'perl' | 'sh';
  readonly source: Buffer;
}

const programs = new Map<string, GuestProgram>();

/**
 * Returns a program made of these files of `programs/`, in this order; all Perl or all shell.
 *
 * @example guestProgram('frames.pl', 'run.pl')
 */
export function guestProgram(...names: readonly string[]): GuestProgram {
  const key = names.join(' ');
  const known = programs.get(key);
  if (known) return known;
  const isPerl = names.every((name) => name.endsWith('.pl'));
  const parts = names.map((name) => {
    const text = programText(name);
    return isPerl ? `#line 1 "${name}"\n${text}` : text;
  });
  const program: GuestProgram = { language: isPerl ? 'perl' : 'sh', source: Buffer.from(parts.join('\n')) };
  programs.set(key, program);
  return program;
}

/** The line that precedes the first frame. */
export const START_LINE = 'cidermill guest 1';

// Reads without buffering, so that the program's input is left to the program. A shell program is visible in the guest's
// process list, but not in logs.
const BOOT = `
my ($length, $language) = @ARGV;
my $program = '';
binmode STDIN;
binmode STDOUT;
while (length $program < $length) {
  sysread STDIN, $program, $length - length $program, length $program or exit 125;
}
syswrite STDOUT, "\\n${START_LINE}\\n";
if ($language eq 'sh') { exec '/bin/sh', '-c', $program, 'cidermill'; exit 126 }
@ARGV = ();
eval "$program\\n;1" or die $@;
`;

/** Returns the command that reads a program from standard input, runs it, and leaves the rest of the input to it. */
export function bootCommand({ language, source }: GuestProgram): string[] {
  return ['/usr/bin/perl', '-e', BOOT, String(source.length), language];
}
