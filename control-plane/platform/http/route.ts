// A route is data. The server, the OpenAPI documents, the audit log, the event streams of open pages, the client and the
// tests are made from the same tables. `test/access/routes.snapshot` lists all routes.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { StoredScript } from '../app/idempotency.js';
import type { InTransaction } from '../app/in-transaction.js';
import type { Step } from '../app/turns.js';
import type { AuditSubject, RouteAction } from '../domain/audit-entry.js';
import type { Caller, Level } from '../domain/caller.js';
import type { ErrorCode } from '../domain/error-catalog.js';
import type { Operator } from '../domain/operator.js';
import type { SignedIn } from '../domain/person.js';
import type { Role } from '../domain/role.js';

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Not available on public routes and on routes about a person without an organization. */
  readonly caller: Caller;
  /** The person of a console session; throws session_required if the request has a key. */
  readonly session: SignedIn;
  /** Who calls the operator API; throws elsewhere. */
  readonly operator: Operator;
  /** IP address of the client. */
  readonly ip: string;
  readonly requestId: string;
  /**
   * Aborts when the client disconnects, the service stops (a long poll then returns what it has) or the caller loses
   * access (the request fails with that error; a stream just ends).
   */
  readonly signal: AbortSignal;
  /**
   * Ends the request's turn on the main thread and resolves at its next one, for work of more than a few milliseconds.
   * Throws SenderGone if the connection has closed.
   */
  readonly step: Step;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The unread request body, for routes with `rawBody`. */
  readonly raw: Readable;
  /**
   * Returns a function that the use case calls in the transaction of its change. It stores the reply for the request's
   * Idempotency-Key, so that the change and the reply are committed together. Every `idempotent` route that changes
   * something passes it on once; without a key it does nothing. The handler must return the same reply.
   *
   * @example
   * return created(await submit(caller, body, recordReply(created)));
   */
  recordReply<T = void>(reply: (result: T) => RouteReply): InTransaction<T>;
  /**
   * The same for changing routes without an Idempotency-Key: the returned function writes the audit entry.
   * `recordReply` writes it too.
   *
   * @param about the subject of the entry, if it is not in the path; several: an entry for each
   */
  recordAction<T = void>(about?: (result: T) => AuditSubject | readonly AuditSubject[]): InTransaction<T>;
  /** Sets the subject of the audit entry, also of a failure that follows, e.g. the person who fails to sign in. */
  concerns(subject: AuditSubject): void;
  /** Returns JSON as serialized by the route's shape for `status`, for a handler that caches its response text. */
  serialize(status: number, body: object): string;
}

export interface RouteReply {
  readonly status: number;
  /** JSON value, text (with `type`), or a stream (with `type`). */
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The script that its body contains, for an answer that is recorded without it. */
  readonly stored?: StoredScript;
  /** Sends status and headers immediately, for a stream whose first byte may come late. */
  readonly flush?: true;
}

/** A zod shape of JSON, or the content type of a text or binary response. */
export type ResponseShape = z.ZodType | string;

/**
 * Why a change works for an account whose records have reached their limit (`account_records_bytes`):
 *
 * - `frees`: it ends something, so that it can be deleted
 * - `pays`: a payment never fails because of the limit
 * - `reads`: a read that takes a body
 * - `keeps`: a Mac is not lost because of the limit; open orders are few
 * - `person`: it concerns the person, not the organization
 */
export type BeyondRecordsLimit = 'frees' | 'pays' | 'reads' | 'keeps' | 'person';

interface Reading {
  readonly method: 'GET';
  readonly action?: never;
  readonly beyondRecordsLimit?: never;
  readonly confirm?: never;
  /** The API: reads the build of `:build_id` in the path, also below the address of a link to that build. */
  readonly belowLink?: true;
}

interface Changing {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In the audit log; null: it changes nothing, or is not an action of a person, key or operator. */
  readonly action: RouteAction | null;
  /** Without it, an account at the limit of its records cannot use this route unless its method is DELETE. */
  readonly beyondRecordsLimit?: BeyondRecordsLimit;
  /**
   * A person must have confirmed lately in this session who they are (`session_confirm_ms`); otherwise the request is
   * refused with `confirmation_required`. Keys have no session.
   */
  readonly confirm?: true;
  readonly belowLink?: never;
}

export type Route<P = unknown, Q = unknown, B = unknown> = RouteFacts<P, Q, B> & (Reading | Changing);

interface RouteFacts<P, Q, B> {
  /** Relative to the root of the API, with `:name` parameters. */
  readonly path: string;
  /** The name of the operation in the OpenAPI document and in the client. Unique in its API. */
  readonly operationId: string;
  /**
   * The level that a key or the role of a person must have; null: no authentication. In the console's API any key can
   * use `read`, and a key with `build` or `manage` both others; operators have all levels.
   */
  readonly level: Level | null;
  /**
   * The console's API: requires a console session. The organization is `:org_id` of the path; without it, the route is about the
   * person only, and the handler gets `session` but no caller.
   */
  readonly consoleOnly?: boolean;
  /** The console's API: roles that may call it with a session. Default: all. */
  readonly roles?: readonly Role[];
  /**
   * The console's API: accepts a session as well as keys. The organization follows from `workspace_id` of the query, or from the
   * file given by `:file_id` of the path; person: the route is about no organization.
   */
  readonly sessionScope?: 'workspace' | 'file' | 'person';
  /** The console's API: programs use it with a key, so the reference of the API has it, too. */
  readonly inApiReference?: true;
  /** Operator API: accepts the operator token or the session of an operator. There is no caller. */
  readonly forOperators?: boolean;
  /** A public route that starts a session: refuses keys and cross-origin requests. */
  readonly sameOrigin?: boolean;
  readonly summary: string;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** The handler gets the unparsed JSON body as a Buffer, e.g. to verify a signature. */
  readonly bodyBytes?: boolean;
  /** Content types of a body that the handler reads itself, as a stream. */
  readonly rawBody?: readonly string[];
  /** Shape of such a body after decompression, for the OpenAPI document only; the handler validates it. */
  readonly rawJson?: z.ZodType;
  /** Default code for an invalid body, or a body that the route does not take; fields may have specific codes. */
  readonly invalidBody?: ErrorCode;
  readonly invalidBodyField?: Readonly<Record<string, ErrorCode>>;
  /** Codes of invalid query parameters. Default: `invalid_query`. */
  readonly invalidQueryField?: Readonly<Record<string, ErrorCode>>;
  /** Code for an invalid path parameter, e.g. build_not_found. */
  readonly invalidParams?: ErrorCode;
  /**
   * Ignores unknown fields and query parameters instead of refusing them: for requests of third-party servers, and for
   * retired endpoints.
   */
  readonly ignoresUnknown?: boolean;
  /** The body contains a secret, so errors must not quote it. */
  readonly confidential?: boolean;
  /**
   * Returns whether a request with this query waits (long poll, followed stream). Such requests are limited per
   * account.
   */
  parks?(query: Q): boolean;
  /** Returns whether a request with this body uploads files. Such requests are limited per account, as bodies of bytes are. */
  uploads?(body: B): boolean;
  /** The response is a stream of events without an end. Such streams are limited per person and account. */
  readonly staysOpen?: boolean;
  /** Accepts Idempotency-Key (rule A4.5). */
  readonly idempotent?: boolean;
  /**
   * The change is carried out after its transaction: the handler returns a later state than the reply that it recorded
   * there, and that state is sent and replayed.
   */
  readonly amendsReply?: boolean;
  /**
   * Returns what to compare between requests with the same Idempotency-Key, if not the body as sent, e.g. because
   * different ids in it can mean equal resources. The body is not validated yet.
   */
  idempotentBody?(caller: Caller, body: unknown): Promise<unknown>;
  /**
   * Shape by status, or several shapes if it depends on the query. JSON is serialized by its shape, so undeclared
   * fields are not sent. A response with `type` is sent unchanged. Null for no body.
   */
  readonly responses: Readonly<Record<number, ResponseShape | readonly ResponseShape[] | null>>;
  /** Codes in addition to those of authentication, validation and limits. */
  readonly errors?: readonly ErrorCode[];
  handle(input: RouteInput<P, Q, B>): Promise<RouteReply>;
}

/** Infers the input types of a route from its shapes, and returns it as `AnyRoute` for the route table. */
export function route<P = unknown, Q = unknown, B = unknown>(definition: Route<P, Q, B>): AnyRoute {
  return definition as unknown as AnyRoute;
}

/** A route without static input types, which `route()` has checked; its shapes validate the input at run time. */
export type AnyRoute = Route<unknown, unknown, unknown>;

/** Returns whether the route is refused to an account whose records have reached their limit. */
export const addsRecords = ({ method, level, forOperators, beyondRecordsLimit }: AnyRoute): boolean =>
  level !== null &&
  forOperators !== true &&
  method !== 'GET' &&
  method !== 'DELETE' &&
  beyondRecordsLimit === undefined;
