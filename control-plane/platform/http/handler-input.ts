// What the handler of a route gets of a request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, coversScope, scopeOf } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Operator } from '../domain/operator.js';
import type { SignedIn } from '../domain/person.js';
import type { AccessWatch } from './access-watch.js';
import type { RequestAudit } from './request-audit.js';
import type { RouteInput } from './route.js';
import { serialized } from './send-reply.js';
import type { InputChecks } from './validation.js';
import { whenOver } from './when-over.js';

export interface HandlerInputDeps {
  clientIp(request: FastifyRequest): string;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  readonly accessWatch: AccessWatch;
}

/** How a request is admitted again. */
export interface Readmit {
  /** See `Api`. */
  readonly byHeader: boolean;
  again(): Promise<Caller | null>;
}

type Input = RouteInput<unknown, unknown, unknown>;

interface Records {
  readonly audit: RequestAudit | null;
  readonly recordReply: Input['recordReply'];
}

const notAudited: Input['recordAction'] = () => () => Promise.resolve();
const subjectSetter =
  (request: FastifyRequest): Input['concerns'] =>
  (subject) => {
    request.auditSubject = subject;
  };
const nothingMore = () => ({});
const nowhere = () => {};

/**
 * The input of a handler. A class, because an object literal creates new getter functions each time: V8 then creates
 * a hidden class per request, which keeps the whole request in memory until the next major garbage collection.
 */
export class HandlerInput implements Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly requestId: string;
  readonly headers: Input['headers'];
  readonly raw: Input['raw'];
  readonly recordReply: Input['recordReply'];
  readonly recordAction: Input['recordAction'];
  readonly concerns: Input['concerns'];
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #readmit: Readmit | null;
  readonly #deps: HandlerInputDeps;
  #signal: AbortSignal | null = null;
  #refusal: ApiError | null = null;

  constructor(
    checks: InputChecks,
    request: FastifyRequest,
    reply: FastifyReply,
    { audit, recordReply }: Records,
    readmit: Readmit | null,
    deps: HandlerInputDeps,
  ) {
    this.params = checks.params(request.params);
    this.query = checks.query(request.query);
    this.body = checks.body(request.body);
    this.requestId = request.id;
    this.headers = request.headers;
    this.raw = request.raw;
    this.recordReply = recordReply;
    this.concerns = audit ? subjectSetter(request) : nowhere;
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

  get operator(): Operator {
    const { operator, url } = this.#request;
    if (!operator) throw new Error(`${url} is not a route of operators`);
    return operator;
  }

  get ip(): string {
    return this.#deps.clientIp(this.#request);
  }

  readonly step = (): Promise<void> => this.#request.turn?.step() ?? Promise.resolve();

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

  /**
   * Everything of the request that its authentication reads. All polls of a key are one check: thousands of clients wait
   * for builds with few keys.
   */
  #sameChecks(byHeader: boolean): string {
    const { method, url, headers, routeOptions } = this.#request;
    const path = byHeader ? `route ${routeOptions.url}` : url;
    return [method, path, headers.authorization, headers.cookie, this.ip].join(' ');
  }

  #open(): AbortSignal {
    const controller = abortWith(this.#request, this.#reply, this.#deps.stopping);
    const readmit = this.#readmit;
    if (readmit === null) return controller.signal;
    const { caller } = this.#request;
    const check = async () => {
      const now = await readmit.again();
      // The request reads what the caller could see when it began.
      if (caller && now && !coversScope(scopeOf(now), scopeOf(caller))) throw new ApiError('not_found');
    };
    const refused = (error: ApiError) => {
      this.#refusal = error;
      controller.abort(error);
    };
    const alike = this.#sameChecks(readmit.byHeader);
    whenOver(this.#request, this.#reply, this.#deps.accessWatch.watch({ alike, check, refused }));
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
