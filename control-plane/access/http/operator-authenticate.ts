// The operator API: the operator token, or the console session of a person who is an operator of the service.
import type { FastifyRequest } from 'fastify';
import { anonymous, personActor } from '../../platform/domain/audit-entry.js';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import { signedInOperator, tokenOperator } from '../../platform/domain/operator.js';
import { isOperator } from '../../platform/http/bearer.js';
import type { Authenticate } from '../../platform/http/mount-api.js';
import type { AuditLog } from '../app/audit-log.js';
import { OPERATOR_TOKEN } from '../domain/audit-actions.js';
import type { SessionAuthenticator } from './session-authenticator.js';

export interface OperatorAuthenticateDeps {
  readonly people: Pick<SessionAuthenticator, 'person'>;
  /** Null: there is none, and only sessions are accepted. */
  readonly operatorToken: string | null;
  readonly auditLog: Pick<AuditLog, 'failed'>;
  clientIp(request: FastifyRequest): string;
}

/**
 * Operators are not callers of an account, so it returns null. For people who are not operators the API does not exist.
 */
export function createOperatorAuthenticate(deps: OperatorAuthenticateDeps): Authenticate {
  const { people, operatorToken, auditLog, clientIp } = deps;
  const refuse = (request: FastifyRequest, code: ErrorCode) => {
    const actor = request.session ? personActor(request.session) : anonymous;
    const target = { accountId: null, target: null };
    auditLog.failed({ ...actor, ...target, ip: clientIp(request), action: OPERATOR_TOKEN }, code);
    return new ApiError(code);
  };
  const byPerson = async (request: FastifyRequest) => {
    const person = await people.person(request);
    if (!person) throw new ApiError('session_required');
    request.session = person;
    if (!person.operator) throw refuse(request, 'not_found');
    request.operator = signedInOperator(person, clientIp(request));
    return null;
  };
  return (request) => {
    const { authorization } = request.headers;
    if (authorization === undefined) return byPerson(request);
    if (operatorToken === null) throw new ApiError('not_found');
    if (!isOperator(authorization, operatorToken)) throw refuse(request, 'operator_token_required');
    request.operator = tokenOperator(clientIp(request));
    return null;
  };
}
