// Admin commands run by the service, for an operator on another machine or in the console.
import { CommanderError } from 'commander';
import type { Base } from '../compose/platform.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import type { SignedIn } from '../platform/domain/person.js';
import { remoteOperator, runAudited, signedInOperator } from './audited.js';
import { runCommand } from './cli.js';
import type { Result } from './command.js';
import { type AdminService, createAdminService } from './service.js';
import { checkSessionCommand } from './session-commands.js';

/**
 * @example
 * const serve = createServedCommands(base);
 * (await serve(['org', 'list'], null, '192.0.2.1')).json; // { organizations: […] }
 */
export function createServedCommands(base: Base) {
  // It would write to any path on the service's machine that a caller names.
  const elsewhere = (on: Base, operator: string): AdminService => ({
    ...createAdminService(on, operator),
    backup: () =>
      Promise.reject(
        new ApiError('invalid_request', {
          message: 'backup writes a file on the machine of the service: run it there, with --data.',
        }),
      ),
  });
  /**
   * @param person of a console session, who can run some commands only; null: the operator token
   * @throws ApiError of the command; invalid_request with commander's message if the command cannot be parsed
   */
  return async (
    argv: readonly string[],
    input: string | null,
    ip: string,
    person: SignedIn | null = null,
  ): Promise<Result> => {
    let result: Result | null = null;
    let told = '';
    const tell = (text: string) => {
      told += text;
    };
    const output = { write: tell, complain: tell, readLine: async () => input ?? '' };
    try {
      await runCommand(argv, output, async (call) => {
        const operator = person ? signedInOperator(person, ip) : remoteOperator(ip);
        const work: typeof call.work = async (service) => {
          // Here, so that a refusal is in the audit log.
          if (person) checkSessionCommand(call, person, base.clock.now(), base.limits);
          return call.work(service);
        };
        result = await runAudited(base, elsewhere, { ...call, work }, operator);
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
