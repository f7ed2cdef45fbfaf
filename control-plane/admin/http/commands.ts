// POST /v1/commands: the commands of `cidermill admin`, for an operator on another machine.
import { z } from 'zod';
import type { AuditLog } from '../../access/app/audit-log.js';
import { OPERATOR_TOKEN } from '../../access/domain/audit-actions.js';
import { anonymous } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { isOperator } from '../../platform/http/operator-token.js';
import { type AnyRoute, route } from '../../platform/http/route.js';

/** Runs one admin command and returns its result. Throws ApiError, also for an unknown or malformed command. */
export type RunCommand = (
  argv: readonly string[],
  input: string | null,
  ip: string,
) => Promise<{ json: unknown; text: string }>;

export interface CommandRoutesDeps {
  readonly runCommand: RunCommand;
  readonly auditLog: Pick<AuditLog, 'failed'>;
  /** Null: the endpoint is disabled and answers not_found. */
  readonly operatorToken: string | null;
}

const WORDS = 200;

export function createCommandRoutes({ runCommand, auditLog, operatorToken }: CommandRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/commands',
      summary: 'Does one command of `cidermill admin`; sent with the operator token',
      body: z.object({
        argv: z.array(z.string()).min(1).max(WORDS),
        /** The line that the command reads from standard input. */
        input: z.string().nullable().optional(),
      }),
      responses: {
        200: z
          .object({ result: z.object({ json: z.unknown(), text: z.string() }) })
          .meta({ id: 'CommandResult' }),
      },
      errors: ['not_found', 'operator_token_required', 'invalid_request', 'host_state', 'host_not_found'],
      async handle({ body, headers, ip }) {
        if (operatorToken === null) throw new ApiError('not_found');
        if (!isOperator(headers.authorization?.toString(), operatorToken)) {
          const action = { ...anonymous, ip, action: OPERATOR_TOKEN, accountId: null, target: null };
          auditLog.failed(action, 'operator_token_required');
          throw new ApiError('operator_token_required');
        }
        const result = await runCommand(body.argv, body.input ?? null, ip);
        return { status: 200, body: { result } };
      },
    }),
  ];
}
