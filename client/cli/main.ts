// Finds the command, runs it, and turns what went wrong into an exit code.
import { CidermillError } from '../cidermill-error.js';
import { readBuildArguments } from './build-options.js';
import { EXIT_CANCELLED, EXIT_OK, EXIT_OTHER, EXIT_USAGE, exitCodeOfError } from './exit-codes.js';
import { programs } from './programs.js';
import { printable, styleFor } from './terminal.js';
import { UsageError } from './usage-error.js';

/**
 * Runs the command line.
 *
 * @param args without the interpreter and the script
 * @returns the exit code
 */
export async function main(args: string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    return report(error, args.includes('--json'), await explain(error));
  }
}

async function run(args: string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    const { ownVersion } = await import('./own-version.js');
    process.stdout.write(`${await ownVersion()}\n`);
    return EXIT_OK;
  }
  const at = commandPosition(args);
  const name = at < 0 ? null : args[at]!;
  const others = args.filter((_, position) => position !== at);
  if (name !== null && Object.hasOwn(programs, name)) return programs[name]!.run(others);
  // Nobody is left to read what goes wrong; the exit code still tells.
  process.stderr.on('error', () => undefined);
  process.once('uncaughtException', (error) => process.exit(report(error, args.includes('--json'))));
  // The command that is run all day does not wait for what explains commands.
  const build = name === 'build' ? readBuildArguments(others) : null;
  if (build) return (await import('./run-build.js')).runBuildCommand(build);
  return (await import('./command-line.js')).runCommandLine(args, name);
}

/** Where the first argument is that is neither a global option nor its value; -1 without one. */
function commandPosition(args: string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--url' || arg === '--key') at++;
    else if (!arg.startsWith('-')) return at;
  }
  return -1;
}

/** What can be done about it; loaded only now that something has gone wrong. */
async function explain(error: unknown): Promise<string[]> {
  if (!(error instanceof CidermillError)) return [];
  return (await import('./explain-error.js')).explainError(error);
}

function report(error: unknown, json: boolean, advice: readonly string[] = []): number {
  const { code, message, content } = describe(error);
  const style = styleFor(process.stderr, process.env);
  const lines = [`${style.red('error:')} ${printable(message, '\n')}`, ...advice];
  process.stderr.write(`${lines.join('\n')}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ error: content }, null, 2)}\n`);
  return code;
}

function describe(error: unknown): { code: number; message: string; content: Record<string, unknown> } {
  if (error instanceof CidermillError) {
    const where = error.requestId ? ` (${error.code}, request ${error.requestId})` : ` (${error.code})`;
    return { code: exitCodeOfError(error), message: error.message + where, content: error.toJSON() };
  }
  if (!(error instanceof Error))
    return { code: EXIT_OTHER, message: String(error), content: { code: 'failed' } };
  const content = { code: 'failed', message: error.message };
  if (error.name === 'AbortError') return { code: EXIT_CANCELLED, message: 'stopped', content };
  if (error instanceof UsageError || error.name === 'SelectionError') {
    return { code: EXIT_USAGE, message: error.message, content: { ...content, code: 'usage' } };
  }
  // A defect of ours, or of the machine: the trace is what a report needs.
  return { code: EXIT_OTHER, message: error.stack ?? error.message, content };
}
