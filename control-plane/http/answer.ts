// The handler of one route: checks the input, runs the route, and sends what it answers; under an
// Idempotency-Key only once.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Attempt,
  checkIdempotencyKey,
  type Idempotency,
  RepliedElsewhere,
  requestFingerprint,
  type SentReply,
} from '../app/idempotency.js';
import type { Caller } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { SignedIn } from '../domain/person.js';
import type { AnyRoute, RouteInput, RouteReply } from './route.js';
import { type ClassCodes, createInputChecks, type InputChecks } from './validation.js';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface AnswerDeps {
  readonly limits: Limits;
  readonly idempotency: Idempotency;
  clientIp(request: FastifyRequest): string;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
}

type Input = RouteInput<unknown, unknown, unknown>;
type RecordReply = Input['recordReply'];

export function createAnswer(route: AnyRoute, codes: ClassCodes, deps: AnswerDeps) {
  const checks = createInputChecks(route, codes);
  const run = (request: FastifyRequest, reply: FastifyReply, recordReply: RecordReply) =>
    route.handle(new HandlerInput(checks, request, reply, recordReply, deps));

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const key = route.idempotent ? request.headers['idempotency-key'] : undefined;
    if (key === undefined) return send(reply, await run(request, reply, notRecorded));
    // Two such headers: Node joins them with a comma and a space, which is no key either.
    return once(request, reply, Array.isArray(key) ? key.join(', ') : key);
  };

  async function once(request: FastifyRequest, reply: FastifyReply, key: string): Promise<FastifyReply> {
    const { caller } = request;
    if (!caller) throw new Error(`${route.path} takes an Idempotency-Key but no caller`);
    checkIdempotencyKey(key, deps.limits);
    const body = (await route.idempotentBody?.(caller, request.body)) ?? request.body;
    const fingerprint = requestFingerprint(request.method, request.url, body);
    for (;;) {
      const begun = await deps.idempotency.begin({ accountId: caller.account.id, key, fingerprint });
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

  /** Sends the very text that was recorded, so that a replay is the same to the byte. */
  async function first(
    request: FastifyRequest,
    reply: FastifyReply,
    attempt: Attempt,
  ): Promise<FastifyReply> {
    let recorded: SentReply | null = null;
    const answer = await run(request, reply, async (tx, given) => {
      recorded = serialized(reply, given);
      await attempt.record(tx, recorded);
    });
    if (!recorded) {
      // It had no effect of its own; the answer is kept all the same.
      recorded = serialized(reply, answer);
      await attempt.recordAlone(recorded);
    }
    return sendText(reply, recorded);
  }
}

const notRecorded: RecordReply = () => Promise.resolve();

/**
 * What a handler gets. A class, because getters of an object literal are new functions each time: V8 then makes a
 * hidden class for every request, which keeps the whole request alive until the next major collection.
 */
class HandlerInput implements Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly requestId: string;
  readonly headers: Input['headers'];
  readonly raw: Input['raw'];
  readonly recordReply: RecordReply;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #deps: AnswerDeps;
  #signal: AbortSignal | null = null;

  constructor(
    checks: InputChecks,
    request: FastifyRequest,
    reply: FastifyReply,
    recordReply: RecordReply,
    deps: AnswerDeps,
  ) {
    this.params = checks.params(request.params);
    this.query = checks.query(request.query);
    this.body = checks.body(request.body);
    this.requestId = request.id;
    this.headers = request.headers;
    this.raw = request.raw;
    this.recordReply = recordReply;
    this.#request = request;
    this.#reply = reply;
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

  /** Most handlers never look, so most requests get no controller. */
  get signal(): AbortSignal {
    this.#signal ??= abortWith(this.#reply, this.#deps.stopping);
    return this.#signal;
  }
}

/** Aborts when the service stops, or the connection closes before the answer has gone out. */
function abortWith(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (stopping.aborted || reply.raw.destroyed) abort();
  stopping.addEventListener('abort', abort);
  reply.raw.once('close', () => {
    stopping.removeEventListener('abort', abort);
    // Nobody would hear it, and the error that comes with it costs more than a small answer.
    if (!reply.raw.writableFinished) abort();
  });
  return controller.signal;
}

function send(reply: FastifyReply, { status, body, type, headers, flush }: RouteReply): FastifyReply {
  reply.code(status);
  if (headers) reply.headers(headers);
  if (type !== undefined) reply.type(type);
  reply.send(body ?? undefined);
  // By now the framework has handed its headers on, and waits for the stream.
  if (flush && reply.raw.hasHeader('content-type')) reply.raw.flushHeaders();
  return reply;
}

/** JSON as this route's shape of the status writes it. */
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
