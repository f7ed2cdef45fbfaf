// Writes the audit entries of requests: of each route with an action.
import type { FastifyRequest } from 'fastify';
import type { AuditSink } from '../app/audit-sink.js';
import type { InTransaction } from '../app/in-transaction.js';
import {
  type AuditedAction,
  type AuditSubject,
  actorOf,
  anonymous,
  targetOf,
  targetOfAll,
} from '../domain/audit-entry.js';
import type { ApiError } from '../domain/error-catalog.js';
import type { AnyRoute, RouteReply } from './route.js';

export interface RequestAudit {
  /** Returns a function that writes the entry, or one for each subject, in the transaction of the change, once. */
  recordAction<T>(about: (result: T) => AuditSubject | readonly AuditSubject[]): InTransaction<T>;
  /** Writes the entry if no transaction has: the request succeeded without a change. */
  finish(reply: RouteReply): Promise<void>;
}

export interface RequestAuditDeps {
  readonly audit: AuditSink;
  clientIp(request: FastifyRequest): string;
}

/** Returns null for a request that is not audited. Call it after authentication. */
export function openRequestAudit(
  request: FastifyRequest,
  route: AnyRoute,
  { audit, clientIp }: RequestAuditDeps,
): RequestAudit | null {
  if (!isAudited(request, route)) return null;
  // The handler may set the target before it writes the entry.
  const action = () => actionOf(request, route, clientIp(request));
  let written = false;
  return {
    recordAction: (about) => async (tx, result) => {
      const subjects = [about(result)].flat();
      if (written || subjects.length === 0) return;
      for (const subject of subjects) await audit.append(tx, withSubject(action(), subject));
      tx.onCommit(() => {
        written = true;
      });
    },
    async finish(reply) {
      if (!written) await audit.succeeded(withSubject(action(), subjectOfReply(route, reply)));
    },
  };
}

/** Records the failure of an audited request, including one that was refused before its handler. */
export function recordFailure(request: FastifyRequest, error: ApiError, { audit, clientIp }: RequestAuditDeps): void {
  const { route } = request.routeOptions.config;
  if (!route || !isAudited(request, route)) return;
  audit.failed(actionOf(request, route, clientIp(request)), error.code);
}

/** Actions of people are always audited, those of keys only at the level manage: builds of keys are in the events. */
function isAudited({ caller, session, operator }: FastifyRequest, route: AnyRoute): boolean {
  if (!route.action) return false;
  if (route.forOperators) return operator !== null;
  if (caller?.key) return route.level === 'manage';
  // A request without a valid key or session is audited only on routes that authenticate, such as sign-in.
  return caller !== null || session !== null || route.level === null;
}

function actionOf(request: FastifyRequest, route: AnyRoute, ip: string): AuditedAction {
  const { caller, session, operator, auditSubject } = request;
  return {
    accountId: auditSubject?.accountId ?? caller?.account.id ?? null,
    ...(operator?.actor ?? actorOf(caller, session)),
    ip: operator ? operator.ip : ip,
    action: route.action?.name ?? '',
    // A secret can be typed where an identifier belongs.
    target: targetOf(auditSubject?.target ?? pathTarget(request, route)),
  };
}

/** Returns the most specific identifier in the path; the organization if the person is not one of its members. */
function pathTarget({ params, caller }: FastifyRequest, { path }: AnyRoute): string | null {
  const given = params as Record<string, unknown>;
  const names = path.match(/(?<=:)\w+/g) ?? [];
  // The organization of a member is in the entry already.
  const name = caller === null && 'org_id' in given ? 'org_id' : names.findLast((one) => one !== 'org_id');
  const value = name === undefined ? null : given[name];
  return typeof value === 'string' ? value : null;
}

/** Returns the target from the reply: the identifier of the created object. */
export function subjectOfReply({ action }: AnyRoute, { body }: RouteReply): AuditSubject {
  if (!action?.made || typeof body !== 'object' || body === null) return {};
  const value: unknown = Reflect.get(body, action.made);
  return { target: targetOf(Array.isArray(value) ? severalOf(value) : asText(value)) };
}

/** @example severalOf([{ rental_id: 'rt_1' }, { rental_id: 'rt_2' }]) // 'rt_1,rt_2' */
const severalOf = (values: readonly unknown[]): string =>
  targetOfAll(
    values.map((value) =>
      typeof value === 'object' && value !== null ? asText(Reflect.get(value, 'rental_id')) : asText(value),
    ),
  );

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function withSubject(action: AuditedAction, { target, accountId, actor }: AuditSubject): AuditedAction {
  const known = target === undefined || target === null ? action.target : target;
  return {
    ...action,
    // The person of a sign-in is known only after it succeeds.
    ...(action.actorKind === anonymous.actorKind && actor ? actor : {}),
    accountId: accountId ?? action.accountId,
    target: known,
  };
}
