// Mounts an API as an encapsulated Fastify plugin: its routes, authentication, error envelope and not-found
// handler. Used for both APIs; their differences are an `Api`.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { z } from 'zod';
import { SenderGone } from '../app/sender-gone.js';
import type { AuditSubject } from '../domain/audit-entry.js';
import { type Caller, callerName } from '../domain/caller.js';
import { ApiError, errorCatalog } from '../domain/error-catalog.js';
import type { Operator } from '../domain/operator.js';
import type { SignedIn } from '../domain/person.js';
import { acceptBodies } from './accept-bodies.js';
import { type AnswerDeps, type AnswerRules, createAnswer } from './answer.js';
import { bearerToken } from './bearer.js';
import type { Envelope, ErrorContext } from './error-context.js';
import { discardBody } from './paced-body.js';
import { recordFailure } from './request-audit.js';
import type { RequestRate } from './request-rate.js';
import { serializerOf } from './response-schema.js';
import type { AnyRoute } from './route.js';
import type { RouteIndex } from './route-index.js';
import { requireSameOrigin } from './same-origin.js';
import { toApiError } from './thrown.js';
import type { ClassCodes } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before authentication, on public routes, and on routes about a person without an organization. */
    caller: Caller | null;
    /** The person of a console session. */
    session: SignedIn | null;
    /** Who calls the operator API; null elsewhere. */
    operator: Operator | null;
    /** Subject of the audit entry, if the handler has set one. */
    auditSubject: AuditSubject | null;
    /**
     * Lifts the limits for unauthenticated senders, on a server that has them. Throws rate_limited if the sender has
     * too many connections.
     *
     * @param name of the key or person; null for a host
     */
    authenticated?: (reply: FastifyReply, name: string | null) => void;
  }
  interface FastifyContextConfig {
    route?: AnyRoute;
  }
}

/**
 * Returns the caller, or throws an ApiError. Synchronous where possible, so that a cached key costs no extra turn of
 * the event loop. Sets `request.session` for a person. Returns null on routes about that person without an
 * organization.
 */
export type Authenticate = (request: FastifyRequest, route: AnyRoute) => Caller | null | Promise<Caller | null>;

export interface Api {
  /** Path prefix of the routes, e.g. `/api/v1`; may contain parameters. */
  readonly prefix: string;
  readonly routes: readonly AnyRoute[];
  readonly index: RouteIndex;
  readonly authenticate: Authenticate;
  /** Throws an ApiError if the caller is not allowed to use the route. */
  permit(caller: Caller, route: AnyRoute): void;
  envelope(request: FastifyRequest): Envelope;
  readonly codes: ClassCodes;
  /** Whether `authenticate` reads only the `Authorization` header and the address, and nothing of the path. */
  readonly byHeader?: boolean;
  /** Query parameters that `authenticate` reads. */
  readonly ownParameters?: readonly string[];
}

export interface ApiDeps extends AnswerDeps {
  readonly siteUrl: string;
  readonly requestRate: RequestRate;
  /** Whether the person has confirmed lately who they are. */
  isConfirmed(person: SignedIn): boolean;
  /** Called for every error response to an authenticated caller. */
  onError(error: ApiError, request: FastifyRequest, caller: Caller): void;
}

export function mountApi(server: FastifyInstance, api: Api, deps: ApiDeps): void {
  server.register(
    async (app) => {
      acceptBodies(app, api.codes, deps.limits);
      app.addHook('onRequest', admit(api, deps));
      app.setErrorHandler((thrown, request, reply) => fail(thrown, request, reply, api, deps));
      app.setNotFoundHandler((request, reply) => notFound(request, reply, api, deps));
      const rules = {
        codes: api.codes,
        readmit: readmit(api),
        byHeader: api.byHeader ?? false,
        ownParameters: api.ownParameters ?? [],
      };
      app.setSerializerCompiler<z.ZodType>(({ schema }) => serializerOf(schema));
      for (const route of api.routes) mountRoute(app, route, rules, deps);
    },
    { prefix: api.prefix },
  );
}

function mountRoute(app: FastifyInstance, route: AnyRoute, rules: AnswerRules, deps: ApiDeps): void {
  const response: Record<string, z.ZodType> = {};
  for (const [status, shapes] of Object.entries(route.responses)) {
    const json = [shapes].flat().find((shape) => shape !== null && typeof shape !== 'string');
    if (json && typeof json === 'object') response[status] = json;
  }
  app.route({
    method: route.method as HTTPMethods,
    url: route.path,
    config: { route },
    schema: { response },
    handler: createAnswer(route, rules, deps),
  });
}

/** Checks authentication, rate limit, level and content type before the body is read. */
function admit(api: Api, { requestRate, openRequests, siteUrl, isConfirmed }: ApiDeps) {
  const enter = async (request: FastifyRequest, reply: FastifyReply, route: AnyRoute, caller: Caller | null) => {
    request.caller = caller;
    const by = caller ?? request.session?.userId;
    if (by !== undefined) {
      request.authenticated?.(reply, caller ? callerName(caller) : (request.session?.userId ?? null));
      const taken = await requestRate.take(by);
      reply.header('ratelimit-policy', `"default";q=${taken.perMinute};w=60`);
      reply.header('ratelimit', `"default";r=${taken.remaining};t=${taken.resetS}`);
      if (!taken.ok) throw new ApiError('rate_limited', { retryAfterS: taken.retryAfterS });
    }
    if (caller) api.permit(caller, route);
    const { session } = request;
    if (route.confirm && session && !isConfirmed(session)) throw new ApiError('confirmation_required');
    checkContentType(request, route);
    if (caller && route.rawBody) await openRequests.enter('concurrent_uploads', caller, request, reply);
  };
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const { route } = request.routeOptions.config;
    // The router accepts empty parameters, but `/secrets/` is not an endpoint.
    if (route?.path.includes(':') && Object.values(request.params ?? {}).includes('')) {
      return done(new ApiError('not_found'));
    }
    if (!route) return done();
    try {
      if (route.sameOrigin) {
        if (bearerToken(request.headers.authorization) !== null) throw new ApiError('console_only');
        requireSameOrigin(request, siteUrl);
      }
      if (route.level === null) return done();
      const caller = api.authenticate(request, route);
      const entered =
        caller instanceof Promise
          ? caller.then((settled) => enter(request, reply, route, settled))
          : enter(request, reply, route, caller);
      entered.then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Authenticates and authorizes an open request again, without counting it towards the rate limit. */
function readmit(api: Api): AnswerRules['readmit'] {
  return async (request, route) => {
    const caller = await api.authenticate(request, route);
    if (caller) api.permit(caller, route);
    return caller;
  };
}

function checkContentType(request: FastifyRequest, route: AnyRoute): void {
  if (!route.rawBody) return;
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!route.rawBody.includes(type)) throw new ApiError('gzip_required');
}

function fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply, api: Api, deps: ApiDeps): void {
  if (thrown instanceof SenderGone) return void reply.hijack();
  const error = toApiError(thrown, request.raw);
  const { status } = errorCatalog[error.code];
  if (status >= 500) request.log.error({ err: thrown, request_id: request.id }, 'request failed');
  if (request.caller) deps.onError(error, request, request.caller);
  recordFailure(request, error, deps);
  const context: ErrorContext = {
    requestId: request.id,
    siteUrl: deps.siteUrl,
    method: request.method,
    url: request.raw.url ?? '',
    params: request.params as Record<string, unknown>,
    body: request.body,
    levels: request.caller?.levels ?? null,
  };
  if (error.retryAfterS !== null) reply.header('retry-after', error.retryAfterS);
  // A client that is still sending would not read the response otherwise.
  if (!request.raw.readableEnded) discardBody(request);
  reply.removeHeader('connection');
  reply.code(status).type('application/json; charset=utf-8');
  reply.serializer(JSON.stringify).send(api.envelope(request)(error, context));
}

/** Sends 405 for an unsupported method of an existing path, the allowed methods for OPTIONS, and 404 otherwise. */
function notFound(request: FastifyRequest, reply: FastifyReply, api: Api, deps: ApiDeps): void {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = api.index.methods(path.slice(rootOf(path, api.prefix).length));
  if (methods.length > 0 && request.method === 'OPTIONS') {
    reply.header('allow', methods.join(', ')).code(204).send();
  } else if (methods.length > 0 && !methods.includes(request.method)) {
    reply.header('allow', methods.join(', '));
    fail(new ApiError('method_not_allowed'), request, reply, api, deps);
  } else fail(new ApiError('not_found'), request, reply, api, deps);
}

/** Returns the prefix of the API with the values that `path` has for the prefix's parameters. */
export function rootOf(path: string, prefix: string): string {
  const segments = prefix.split('/').length;
  return path.split('/').slice(0, segments).join('/');
}
