// Which command a command line calls.

export interface CalledCommand {
  /** Null when no command is named. */
  name: string | null;
  /** All arguments except the name, including global options before it. */
  others: string[];
}

/**
 * Splits a command line at the first argument that is neither a global option nor its value.
 *
 * @example commandIn(['--url', 'https://mac.example', 'build', '--clean']).name // 'build'
 */
export function commandIn(args: readonly string[]): CalledCommand {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--url' || arg === '--key') at++;
    else if (!arg.startsWith('-')) return { name: arg, others: args.toSpliced(at, 1) };
  }
  return { name: null, others: [...args] };
}
