// Admin commands run by the service, for an operator on another machine.
import { CommanderError } from 'commander';
import { ApiError } from '../platform/domain/error-catalog.js';
import { runCommand } from './cli.js';
import type { Result } from './command.js';
import type { AdminService } from './service.js';

/**
 * @example
 * const serve = createServedCommands(service);
 * (await serve(['org', 'list'], null)).json; // { organizations: […] }
 */
export function createServedCommands(service: AdminService) {
  // It would write to any path on the service's machine that a caller names.
  const elsewhere: AdminService = {
    ...service,
    backup: () =>
      Promise.reject(
        new ApiError('invalid_request', {
          message: 'backup writes a file on the machine of the service: run it there, with --data.',
        }),
      ),
  };
  /** @throws ApiError of the command; invalid_request with commander's message if the command cannot be parsed */
  return async (argv: readonly string[], input: string | null): Promise<Result> => {
    let result: Result | null = null;
    let told = '';
    const tell = (text: string) => {
      told += text;
    };
    const output = { write: tell, complain: tell, readLine: async () => input ?? '' };
    try {
      await runCommand(argv, output, async (call) => {
        result = await call.work(elsewhere);
        return result;
      });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return { json: { help: told }, text: told.trimEnd() };
      throw new ApiError('invalid_request', { message: told.trim() || error.message, cause: error });
    }
    if (result === null) throw new ApiError('invalid_request', { message: 'That is no command.' });
    return result;
  };
}
