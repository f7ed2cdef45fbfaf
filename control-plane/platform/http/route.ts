// A route is data: what it takes and what it answers. Server, OpenAPI document and the coverage test read the same
// tables. The level that it needs is added from `access/domain/levels.ts`.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { InTransaction } from '../app/in-transaction.js';
import type { Caller, Level } from '../domain/caller.js';
import type { ErrorCode } from '../domain/error-catalog.js';
import type { SignedIn } from '../domain/person.js';
import type { Role } from '../domain/role.js';

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Not for routes that are public, or about a person alone. */
  readonly caller: Caller;
  /** The person of a console session; throws session_required when the request carries a key. */
  readonly session: SignedIn;
  /** Address of the client. */
  readonly ip: string;
  readonly requestId: string;
  /**
   * Aborts when the client goes away, the service stops (a long poll answers then with what it has) or the caller would
   * be refused by now (the request ends with that error; a stream just ends).
   */
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The unread request body, for routes with `rawBody`. */
  readonly raw: Readable;
  /**
   * Returns what a use case calls in the transaction of its effect: it stores the reply to the result under the
   * request's Idempotency-Key, so that both happen or neither. Every `idempotent` route that has an effect passes it
   * on once; it does nothing when the request carries no key. The handler must return the same reply.
   *
   * @example
   * return created(await submit(caller, body, recordReply(created)));
   */
  recordReply<T = void>(reply: (result: T) => RouteReply): InTransaction<T>;
  /** JSON as the route's shape of `status` writes it, for a handler that keeps its answer's text. */
  serialize(status: number, body: object): string;
}

export interface RouteReply {
  readonly status: number;
  /** JSON value, text (with `type`), or a stream (with `type`). */
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a stream whose first byte may be long in coming: status and headers go out at once. */
  readonly flush?: true;
}

/** A zod shape of JSON, or the content type of an answer that is text or bytes. */
export type ResponseShape = z.ZodType | string;

export interface Route<P = unknown, Q = unknown, B = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the family's root, with `:name` parameters. */
  readonly path: string;
  /**
   * Family B: only a person signed in to the console may call it. The organization is the path's `:org_id`; without
   * one the route is about the person alone, and `session` is all it gets.
   */
  readonly consoleOnly?: boolean;
  /** Family B: which roles may call it with a session; all of them otherwise. */
  readonly roles?: readonly Role[];
  /**
   * Family B: takes a session beside keys. Which organization is meant follows from the query's `workspace_id`, or
   * from the file that the path's `:file_id` names.
   */
  readonly sessionScope?: 'workspace' | 'file';
  /** A public route for people, which begins a session: no other site may call it, and no key. */
  readonly sameOrigin?: boolean;
  readonly summary: string;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** The handler wants the bytes of a JSON body as they came, e.g. to check a signature: `body` is a Buffer. */
  readonly bodyBytes?: boolean;
  /** Content types of a body that the handler reads itself, as a stream. */
  readonly rawBody?: readonly string[];
  /** What such a body holds once it is unpacked, for the reference; the handler checks it. */
  readonly rawJson?: z.ZodType;
  /** Class code of a body that fails validation, or that is sent where none is taken; a field may have its own code. */
  readonly invalidBody?: ErrorCode;
  readonly invalidBodyField?: Readonly<Record<string, ErrorCode>>;
  /** Code per query parameter that fails validation; `invalid_query` otherwise. */
  readonly invalidQueryField?: Readonly<Record<string, ErrorCode>>;
  /** Code of a path parameter that cannot exist, e.g. build_not_found. */
  readonly invalidParams?: ErrorCode;
  /**
   * Ignores fields and query parameters that it does not know, instead of refusing them: for what another company's
   * server sends, and for retired addresses.
   */
  readonly ignoresUnknown?: boolean;
  /** The body holds a secret: no error repeats any of it. */
  readonly confidential?: boolean;
  /** Takes Idempotency-Key (rule A4.5). */
  readonly idempotent?: boolean;
  /**
   * What of the body counts when two requests with one Idempotency-Key are compared, where that is not the body as it
   * came, e.g. because it names a resource of which there are equal ones. The body is not validated yet.
   */
  idempotentBody?(caller: Caller, body: unknown): Promise<unknown>;
  /**
   * Status to shape, or to several when the query decides. A JSON answer is serialised by its shape: a field
   * that is not declared does not leave. An answer with `type` is sent as it is. Null: no body.
   */
  readonly responses: Readonly<Record<number, ResponseShape | readonly ResponseShape[] | null>>;
  /** Codes beyond those of authentication, validation and limits. */
  readonly errors?: readonly ErrorCode[];
  handle(input: RouteInput<P, Q, B>): Promise<RouteReply>;
}

/** Keeps the types of one route's own parts together; a table holds `AnyRoute`. */
export function route<P = unknown, Q = unknown, B = unknown>(definition: Route<P, Q, B>): AnyRoute {
  return definition as unknown as AnyRoute;
}

/** A route whose input types have been settled by `route()`; its schemas still check them at run time. */
export type AnyRoute = Route<unknown, unknown, unknown>;

/** A route with the level that its caller needs; null: no authentication. */
export type LeveledRoute = AnyRoute & { readonly level: Level | null };
