// Runs the commands of a tool, and makes errors of what it prints: exit codes of the tools are ambiguous, so the text decides.
import type { Clock } from '../../../shared/clock.js';
import type { VmLimits } from '../../limits.js';
import { type CommandOptions, type CommandResult, type CommandSettings, runCommand } from './run-command.js';
import { type VmToolCode, VmToolError } from './tool.js';

export interface ToolOptions {
  /** The executable, or a name that is looked up on PATH. */
  path: string;
  /** Where the output of running virtual machines is kept. */
  outputDir: string;
  limits: () => VmLimits;
  env?: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
}

/** Runs a command and returns its standard output. `ok`: codes of errors that count as success. */
export type RunTool = (
  args: readonly string[],
  options?: Partial<CommandOptions> & { ok?: VmToolCode[] },
) => Promise<string>;

export type ErrorOf = (command: string, result: CommandResult) => VmToolError;

export function toolRunner(settings: CommandSettings, limits: () => VmLimits, errorOf: ErrorOf): RunTool {
  return async (args, { ok = [], ...given } = {}) => {
    const result = await runCommand(settings, args, { timeoutMs: limits().commandMs, ...given });
    if (result.code === 0) return result.stdout;
    const error = errorOf(args[0] ?? '', result);
    if (!ok.includes(error.code)) throw error;
    return '';
  };
}

/** The code of an invalid command line. */
const USAGE = 64;
const LONGEST = 300;

/**
 * Returns a function that makes the error of a failed command.
 *
 * @param tool.texts the first pattern that matches decides
 * @param tool.said returns what it printed about the error
 * @param tool.isError tells the line of the error from others; default: the first line
 */
export function toolErrors(tool: {
  kind: string;
  texts: readonly (readonly [RegExp, VmToolCode])[];
  said: (result: CommandResult) => string;
  isError?: (line: string) => boolean;
}): ErrorOf {
  return (command, result) => {
    const said = tool.said(result);
    const found = tool.texts.find(([pattern]) => pattern.test(said))?.[1];
    const lines = said.split('\n').map((line) => line.trim());
    const line = lines.find((one) => tool.isError?.(one)) ?? lines.find((one) => one !== '') ?? '';
    const why = line.slice(0, LONGEST) || `exit code ${result.code}`;
    const code = found ?? (result.code === USAGE ? 'incompatible' : 'failed');
    return new VmToolError(code, `${tool.kind} ${command}: ${why}`);
  };
}
