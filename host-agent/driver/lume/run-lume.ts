import type { VmLimits } from '../../limits.js';
import { type CommandOptions, type CommandSettings, runCommand } from '../vm/run-command.js';
import type { VmToolCode } from '../vm/tool.js';
import { lumeError } from './errors.js';

/** Runs a command and returns its standard output. `ok`: codes of errors that count as success. */
export type RunLume = (
  args: readonly string[],
  options?: Partial<CommandOptions> & { ok?: VmToolCode[] },
) => Promise<string>;

export function lumeRunner(settings: CommandSettings, limits: () => VmLimits): RunLume {
  return async (args, { ok = [], ...given } = {}) => {
    const result = await runCommand(settings, args, { timeoutMs: limits().commandMs, ...given });
    if (result.code === 0) return result.stdout;
    const error = lumeError(args[0] ?? '', result);
    if (!ok.includes(error.code)) throw error;
    return '';
  };
}
