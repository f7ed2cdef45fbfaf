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
import type { Caller } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { SignedIn } from '../domain/person.js';
import type { AccessWatch } from './access-watch.js';
import type { OpenRequests } from './open-requests.js';
import {
  openRequestAudit,
  type RequestAudit,
  type RequestAuditDeps,
  subjectOfReply,
} from './request-audit.js';
import type { LeveledRoute, RouteInput, RouteReply } from './route.js';
import { type ClassCodes, createInputChecks, type InputChecks } from './validation.js';
import { whenOver } from './when-over.js';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface AnswerDeps extends RequestAuditDeps {
  readonly limits: Limits;
  readonly idempotency: Idempotency;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  readonly accessWatch: AccessWatch;
  readonly openRequests: OpenRequests;
}

type Input = RouteInput<unknown, unknown, unknown>;
type RecordReply = Input['recordReply'];

/** What the API family of a route defines. */
export interface AnswerRules {
  readonly codes: ClassCodes;
  /** Returns the caller as it is now. Throws an ApiError if it has lost access since the request was admitted. */
  readmit(request: FastifyRequest, route: LeveledRoute): Promise<Caller | null>;
  /** Query parameters read by authentication; routes do not receive them. */
  readonly ownParameters: readonly string[];
}

export function createAnswer(route: LeveledRoute, rules: AnswerRules, deps: AnswerDeps) {
  const all = createInputChecks(route, rules.codes);
  const checks = { ...all, query: (value: unknown) => all.query(without(value, rules.ownParameters)) };
  const isPublic = route.level === null;
  const run = async (request: FastifyRequest, reply: FastifyReply, recordReply: RecordReply) => {
    const readmit = isPublic ? null : () => rules.readmit(request, route);
    const audit = openRequestAudit(request, route, deps);
    const records = { audit, recordReply: audit ? withAction(route, audit, recordReply) : recordReply };
    const input = new HandlerInput(checks, request, reply, records, readmit, deps);
    if (route.parks?.(input.query)) deps.openRequests.enter('parked_requests', input.caller, request, reply);
    const answer = await route.handle(input);
    if (input.refusal === null) {
      await audit?.finish(answer);
      return answer;
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
    if (key === undefined) return send(reply, await run(request, reply, notRecorded));
    // Node joins repeated headers with a comma and a space; the result is not a valid key and is refused below.
    return once(request, reply, Array.isArray(key) ? key.join(', ') : key);
  };

  async function once(request: FastifyRequest, reply: FastifyReply, key: string): Promise<FastifyReply> {
    const { caller } = request;
    if (!caller) throw new Error(`${route.path} takes an Idempotency-Key but no caller`);
    checkIdempotencyKey(key, deps.limits);
    const body = (await route.idempotentBody?.(caller, request.body)) ?? request.body;
    const fingerprint = requestFingerprint(request.method, request.url, body);
    for (;;) {
      const begun = await deps.idempotency.begin({
        ...{ accountId: caller.account.id, workspaceId: caller.workspaceId },
        ...{ key, fingerprint },
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
  async function first(
    request: FastifyRequest,
    reply: FastifyReply,
    attempt: Attempt,
  ): Promise<FastifyReply> {
    let recorded: SentReply | null = null;
    const answer = await run(request, reply, (replyTo) => async (tx, result) => {
      recorded = serialized(reply, replyTo(result));
      await attempt.record(tx, recorded);
    });
    if (!recorded) {
      // The handler changed nothing, so it recorded no reply. Record it for replays anyway.
      recorded = serialized(reply, answer);
      await attempt.recordAlone(recorded);
    }
    return sendText(reply, recorded);
  }
}

function without(query: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof query !== 'object' || query === null) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

const notRecorded: RecordReply = () => () => Promise.resolve();

/** Also writes the audit entry, with the target from the reply. */
function withAction(route: LeveledRoute, audit: RequestAudit, recordReply: RecordReply): RecordReply {
  return <T>(replyTo: (result: T) => RouteReply): InTransaction<T> => {
    const reply = recordReply(replyTo);
    const action = audit.recordAction<T>((result) => subjectOfReply(route, replyTo(result)));
    return async (tx, result: T) => {
      await reply(tx, result);
      await action(tx, result);
    };
  };
}

interface Records {
  readonly audit: RequestAudit | null;
  readonly recordReply: RecordReply;
}

const notAudited: Input['recordAction'] = () => () => Promise.resolve();
const targetSetter =
  (request: FastifyRequest): Input['concerns'] =>
  (target) => {
    request.auditTarget = target;
  };
const nothingMore = () => ({});
const nowhere = () => {};

/**
 * The input of a handler. A class, because an object literal creates new getter functions each time: V8 then creates
 * a hidden class per request, which keeps the whole request in memory until the next major garbage collection.
 */
class HandlerInput implements Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly requestId: string;
  readonly headers: Input['headers'];
  readonly raw: Input['raw'];
  readonly recordReply: RecordReply;
  readonly recordAction: Input['recordAction'];
  readonly concerns: Input['concerns'];
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #readmit: (() => Promise<unknown>) | null;
  readonly #deps: AnswerDeps;
  #signal: AbortSignal | null = null;
  #refusal: ApiError | null = null;

  constructor(
    checks: InputChecks,
    request: FastifyRequest,
    reply: FastifyReply,
    { audit, recordReply }: Records,
    readmit: (() => Promise<unknown>) | null,
    deps: AnswerDeps,
  ) {
    this.params = checks.params(request.params);
    this.query = checks.query(request.query);
    this.body = checks.body(request.body);
    this.requestId = request.id;
    this.headers = request.headers;
    this.raw = request.raw;
    this.recordReply = recordReply;
    this.concerns = audit ? targetSetter(request) : nowhere;
    this.recordAction = audit ? (about = nothingMore) => audit.recordAction(about) : notAudited;
    this.#request = request;
    this.#reply = reply;
    this.#readmit = readmit;
    this.#deps = deps;
  }

  get caller(): Caller {
    const { caller, url } = this.#request;
    if (!caller) throw new Error(`${url} is public: nobody is known to call it`);
    return caller;
  }

  get session(): SignedIn {
    const { session } = this.#request;
    if (!session) throw new ApiError('session_required');
    return session;
  }

  get ip(): string {
    return this.#deps.clientIp(this.#request);
  }

  serialize(status: number, body: object): string {
    return serialized(this.#reply, { status, body }).body;
  }

  /** Created on first access, because most handlers do not use it. */
  get signal(): AbortSignal {
    this.#signal ??= this.#open();
    return this.#signal;
  }

  /** Why the caller has lost access; null if access is not lost. */
  get refusal(): ApiError | null {
    return this.#refusal;
  }

  #open(): AbortSignal {
    const controller = abortWith(this.#request, this.#reply, this.#deps.stopping);
    const check = this.#readmit;
    if (check === null) return controller.signal;
    const refused = (error: ApiError) => {
      this.#refusal = error;
      controller.abort(error);
    };
    whenOver(this.#request, this.#reply, this.#deps.accessWatch.watch({ check, refused }));
    return controller.signal;
  }
}

/** Returns a controller that aborts when the service stops or the connection closes before the response is sent. */
function abortWith(request: FastifyRequest, reply: FastifyReply, stopping: AbortSignal): AbortController {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (stopping.aborted) abort();
  stopping.addEventListener('abort', abort);
  whenOver(request, reply, () => {
    stopping.removeEventListener('abort', abort);
    // After a complete response nobody listens, and creating the abort error costs more than a small response.
    if (!reply.raw.writableFinished) abort();
  });
  return controller;
}

function send(reply: FastifyReply, { status, body, type, headers, flush }: RouteReply): FastifyReply {
  reply.code(status);
  if (headers) reply.headers(headers);
  if (type !== undefined) reply.type(type);
  reply.send(body ?? undefined);
  // Fastify has passed its headers to Node by now and waits for the stream.
  if (flush && reply.raw.hasHeader('content-type')) reply.raw.flushHeaders();
  return reply;
}

/** Returns the response as JSON, serialized by the route's shape for the status. */
function serialized(reply: FastifyReply, { status, body }: RouteReply): SentReply {
  const write = reply.getSerializationFunction(String(status));
  const isObject = typeof body === 'object' && body !== null;
  return {
    status,
    contentType: JSON_TYPE,
    body: write && isObject ? write({ ...body }) : JSON.stringify(body),
  };
}

function sendText(reply: FastifyReply, { status, contentType, body }: SentReply): FastifyReply {
  return reply.code(status).type(contentType).send(body);
}
