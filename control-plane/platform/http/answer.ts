// The Fastify handler of a route: validates the input, runs the route and sends its response. Requests with an
// Idempotency-Key run only once.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Attempt,
  checkIdempotencyKey,
  type Idempotency,
  RepliedElsewhere,
  requestFingerprint,
  type SentReply,
} from '../app/idempotency.js';
import type { InTransaction } from '../app/in-transaction.js';
import type { RecordsQuota } from '../app/records-quota.js';
import type { Caller } from '../domain/caller.js';
import type { Limits } from '../domain/limits.js';
import { HandlerInput, type HandlerInputDeps } from './handler-input.js';
import type { OpenRequests } from './open-requests.js';
import { entriesThatFit, hasLimit } from './page.js';
import { openRequestAudit, type RequestAudit, type RequestAuditDeps, subjectOfReply } from './request-audit.js';
import { type AnyRoute, addsRecords, type RouteReply } from './route.js';
import { send, sendText, serialized } from './send-reply.js';
import { type ClassCodes, createInputChecks } from './validation.js';
import { whenOver } from './when-over.js';

export interface AnswerDeps extends RequestAuditDeps, HandlerInputDeps {
  readonly limits: Limits;
  /** Null: no route takes an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
  readonly openRequests: OpenRequests;
  readonly recordsQuota: RecordsQuota;
}

type RecordReply = HandlerInput['recordReply'];

/** What the API of a route defines. */
export interface AnswerRules {
  readonly codes: ClassCodes;
  /** Returns the caller as it is now. Throws an ApiError if it has lost access since the request was admitted. */
  readmit(request: FastifyRequest, route: AnyRoute): Promise<Caller | null>;
  /** See `Api`. */
  readonly byHeader: boolean;
  /** Query parameters read by authentication; routes do not receive them. */
  readonly ownParameters: readonly string[];
}

export function createAnswer(route: AnyRoute, rules: AnswerRules, deps: AnswerDeps) {
  const all = createInputChecks(route, rules.codes);
  const checks = { ...all, query: (value: unknown) => all.query(without(value, rules.ownParameters)) };
  const isPublic = route.level === null;
  const isPaged = hasLimit(route);
  const mostBytes = deps.limits.list_page_bytes;
  const run = async (request: FastifyRequest, reply: FastifyReply, recordReply: RecordReply) => {
    const readmit = isPublic ? null : { byHeader: rules.byHeader, again: () => rules.readmit(request, route) };
    const audit = openRequestAudit(request, route, deps);
    const records = { audit, recordReply: audit ? withAction(route, audit, recordReply) : recordReply };
    const inputWith = (inputChecks: typeof checks) =>
      new HandlerInput(inputChecks, request, reply, records, readmit, deps);
    const input = inputWith(checks);
    if (route.parks?.(input.query)) {
      await deps.openRequests.enter('parked_requests', input.caller, request, reply);
      request.turn?.answer.parked();
    }
    if (route.uploads?.(input.body)) await deps.openRequests.enter('concurrent_uploads', input.caller, request, reply);
    if (route.staysOpen) await deps.openRequests.enterStream(request, reply);
    if (addsRecords(route)) await reserveRecords(request, reply, deps.recordsQuota);
    let answer = await route.handle(input);
    let text: SentReply | null = null;
    // An answer that is too large is read again, with as many entries as fit: the cursor of a page then follows the last of them.
    for (let last = Number.POSITIVE_INFINITY; isPaged && answer.type === undefined; ) {
      await input.step();
      text = serialized(reply, answer);
      const limit = Buffer.byteLength(text.body) > mostBytes ? entriesThatFit(answer.body, mostBytes) : null;
      if (limit === null || limit >= last) break;
      last = limit;
      await input.step();
      answer = await route.handle(
        inputWith({ ...checks, query: (value) => ({ ...(checks.query(value) as object), limit }) }),
      );
    }
    if (input.refusal === null) {
      await audit?.finish(answer);
      return { answer, text };
    }
    if (answer.body instanceof Readable) answer.body.destroy();
    throw input.refusal;
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Its body may have arrived long after the request was admitted.
    if (!isPublic && reply.elapsedTime > deps.limits.access_check_ms) {
      request.caller = await rules.readmit(request, route);
    }
    const key = route.idempotent ? request.headers['idempotency-key'] : undefined;
    if (key === undefined) {
      const { answer, text } = await run(request, reply, notRecorded);
      // Serializing it takes time.
      if (text === null && answer.type === undefined) await request.turn?.step();
      return send(reply, answer, text);
    }
    // Node joins repeated headers with a comma and a space; the result is not a valid key and is refused below.
    return once(request, reply, Array.isArray(key) ? key.join(', ') : key);
  };

  async function once(request: FastifyRequest, reply: FastifyReply, key: string): Promise<FastifyReply> {
    const { caller } = request;
    const { idempotency } = deps;
    if (!caller || !idempotency) throw new Error(`${route.path} takes an Idempotency-Key but no caller`);
    checkIdempotencyKey(key, deps.limits);
    const body = (await route.idempotentBody?.(caller, request.body)) ?? request.body;
    const fingerprint = requestFingerprint(request.method, request.url, body);
    for (;;) {
      const begun = await idempotency.begin({
        accountId: caller.account.id,
        workspaceId: caller.workspaceId,
        key,
        fingerprint,
      });
      if ('replay' in begun) {
        reply.header('idempotent-replayed', 'true');
        return sendText(reply, begun.replay);
      }
      try {
        return await first(request, reply, begun.attempt);
      } catch (error) {
        if (!(error instanceof RepliedElsewhere)) throw error;
      } finally {
        begun.attempt.end();
      }
    }
  }

  /** Sends the recorded text, so that replays are byte-identical. */
  async function first(request: FastifyRequest, reply: FastifyReply, attempt: Attempt): Promise<FastifyReply> {
    let recorded: SentReply | null = null;
    const { answer } = await run(request, reply, (replyTo) => async (tx, result) => {
      const answer = replyTo(result);
      recorded = serialized(reply, answer);
      await attempt.record(tx, recorded, answer.stored);
    });
    if (recorded && !route.amendsReply) return sendText(reply, recorded);
    await request.turn?.step();
    const text = serialized(reply, answer);
    // A handler that changed nothing recorded no reply. Record it for replays anyway.
    if (recorded) await attempt.amend(text.body);
    else if (await hasRoomForReply(route, request, deps.recordsQuota)) await attempt.recordAlone(text);
    return sendText(reply, text);
  }
}

/** Throws storage_quota_exceeded when the account has no room for what the request brings. */
async function reserveRecords(request: FastifyRequest, reply: FastifyReply, quota: RecordsQuota): Promise<void> {
  if (request.caller) whenOver(request, reply, await quota.enter(request.caller, request.jsonBytes));
}

/**
 * Nothing else bounds the number of replies to requests that change nothing. Beyond the account's limit none is stored,
 * because such a request may be repeated without harm.
 */
async function hasRoomForReply(route: AnyRoute, { caller }: FastifyRequest, quota: RecordsQuota): Promise<boolean> {
  return addsRecords(route) || caller === null || !(await quota.isFull(caller));
}

function without(query: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof query !== 'object' || query === null) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

const notRecorded: RecordReply = () => () => Promise.resolve();

/** Also writes the audit entry, with the target from the reply. */
function withAction(route: AnyRoute, audit: RequestAudit, recordReply: RecordReply): RecordReply {
  return <T>(replyTo: (result: T) => RouteReply): InTransaction<T> => {
    const reply = recordReply(replyTo);
    const action = audit.recordAction<T>((result) => subjectOfReply(route, replyTo(result)));
    return async (tx, result: T) => {
      await reply(tx, result);
      await action(tx, result);
    };
  };
}
