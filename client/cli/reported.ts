// Prints errors and maps them to exit codes, for every command.
import { printedJson } from '../../shared/clean-text.js';
import { errnoOf } from '../../shared/errno.js';
import { systemProblem } from '../../shared/system-problem.js';
import { CidermillError } from '../cidermill-error.js';
import type { CliContext } from './context.js';
import { EXIT_CANCELLED, EXIT_OK, EXIT_OTHER, EXIT_USAGE, exitCodeOfError } from './exit-codes.js';
import { printable, styleFor } from './terminal.js';
import { UsageError } from './usage-error.js';

/**
 * Runs a command and prints the error that it throws.
 *
 * @param args the command line; `--json` selects the format of errors
 * @returns the command's exit code, or that of its error
 */
export async function reported(
  context: CliContext,
  args: readonly string[],
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    return report(context, error, args.includes('--json'), await explain(error));
  }
}

/** Prints an error with advice, for a command that goes on after it. Returns the exit code of the error. */
export async function reportError(context: CliContext, error: unknown): Promise<number> {
  return report(context, error, false, await explain(error));
}

/** Prints uncaught errors and exits. */
export function reportStrayErrors(context: CliContext, args: readonly string[]): void {
  // Standard error is closed; the exit code still reports the failure.
  context.stderr.on('error', () => undefined);
  context.once('uncaughtException', (error) =>
    context.exit(isUnread(error) ? EXIT_OK : report(context, error, args.includes('--json'))),
  );
}

/**
 * Ends a command whose output cannot be written: quietly when its reader has gone (`| head`), because commands print last;
 * otherwise with the reason.
 */
export function endWithOutput(context: CliContext): void {
  context.stderr.on('error', () => undefined);
  context.stdout.on('error', (error) => context.exit(isUnread(error) ? EXIT_OK : report(context, error, false)));
}

/** Whether it says that the reader of the output has gone (`| head`). */
const isUnread = (error: unknown) => errnoOf(error) === 'EPIPE';

/** Advice for the error, loaded only when needed. */
async function explain(error: unknown): Promise<string[]> {
  if (!(error instanceof CidermillError)) return [];
  return (await import('./explain-error.js')).explainError(error);
}

function report(
  { stdout, stderr, env }: CliContext,
  error: unknown,
  json: boolean,
  advice: readonly string[] = [],
): number {
  const { code, message, content } = describe(error);
  const style = styleFor(stderr, env);
  const lines = [`${style.red('error:')} ${printable(message, '\n')}`, ...advice];
  stderr.write(`${lines.join('\n')}\n`);
  if (json) stdout.write(`${printedJson({ error: content }, 2)}\n`);
  return code;
}

function describe(error: unknown): { code: number; message: string; content: Record<string, unknown> } {
  if (error instanceof CidermillError) {
    const where = error.requestId ? ` (${error.code}, request ${error.requestId})` : ` (${error.code})`;
    return { code: exitCodeOfError(error), message: error.message + where, content: error.toJSON() };
  }
  if (!(error instanceof Error)) return { code: EXIT_OTHER, message: String(error), content: { code: 'failed' } };
  const content = { code: 'failed', message: error.message };
  if (error.name === 'AbortError') return { code: EXIT_CANCELLED, message: 'stopped', content };
  if (error instanceof UsageError || error.name === 'SelectionError') {
    return { code: EXIT_USAGE, message: error.message, content: { ...content, code: 'usage' } };
  }
  const problem = systemProblem(error);
  if (problem?.isInput) {
    return { code: EXIT_USAGE, message: problem.text, content: { code: 'usage', message: problem.text } };
  }
  if (problem) return { code: EXIT_OTHER, message: problem.text, content: { ...content, message: problem.text } };
  // A bug: a report needs the stack trace.
  return { code: EXIT_OTHER, message: error.stack ?? error.message, content };
}
