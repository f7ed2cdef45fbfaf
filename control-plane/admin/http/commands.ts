// POST /v1/commands: the commands of `cidermill admin`, for an operator on another machine or in the console.
import { z } from 'zod';
import type { ErrorCode } from '../../platform/domain/error-catalog.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { type AnyRoute, route } from '../../platform/http/route.js';

/**
 * Runs one admin command and returns its result. Throws ApiError, also for an unknown or malformed command.
 *
 * @param person of a console session; null: the operator token
 */
export type RunCommand = (
  argv: readonly string[],
  input: string | null,
  ip: string,
  person: SignedIn | null,
) => Promise<{ json: unknown; text: string }>;

export interface CommandRoutesDeps {
  readonly runCommand: RunCommand;
}

const WORDS = 200;

export function createCommandRoutes({ runCommand }: CommandRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/commands',
      operationId: 'runCommand',
      level: 'manage',
      action: null,
      summary: 'Does one command of `cidermill admin`; from a session one of those that the console uses',
      body: z.object({
        argv: z.array(z.string()).min(1).max(WORDS),
        /** The line that the command reads from standard input. */
        input: z.string().nullable().optional(),
      }),
      responses: {
        200: z.object({ result: z.object({ json: z.unknown(), text: z.string() }) }).meta({ id: 'CommandResult' }),
      },
      // Those of all commands.
      errors: [
        'confirmation_required',
        'invalid_request',
        'host_state',
        'host_not_found',
        'invalid_tier',
        'order_not_found',
        'order_not_refundable',
        'order_not_payable',
        'rental_not_found',
        'no_capacity',
        'keys_limit',
        'workspaces_limit',
        'workspace_in_use',
        'last_workspace',
      ] as ErrorCode[],
      async handle(request) {
        const { body, ip } = request;
        const { argv, input = null } = body;
        const person = request.headers.authorization === undefined ? request.session : null;
        const result = await runCommand(argv, input, ip, person);
        return { status: 200, body: { result } };
      },
    }),
  ];
}
