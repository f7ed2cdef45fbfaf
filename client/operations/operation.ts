// A request of one of the APIs as data. `npm run generate` makes the operations of this folder from the routes.

export type Method = (...args: never[]) => unknown;

/**
 * `M` is the method that sends it, without the promise and the options: path parameters in their order, then what it takes.
 *
 * @example const getWebhook: Operation<(webhookId: string) => Webhook> = { method: 'GET', path: '/webhooks/{webhook_id}' };
 */
export interface Operation<M extends Method = Method, Named = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the address of its API, with parameters as `{name}`. */
  readonly path: string;
  /** Default: the API for programs. */
  readonly api?: 'console' | 'operator';
  readonly takes?: readonly ('body' | 'query')[];
  /** The query parameter that says how many seconds the service may hold the request. */
  readonly holds?: string;
  /** Default: JSON, or in some cases nothing, which becomes null. */
  readonly answers?: 'text' | 'bytes' | 'nothing';
  /** Never set: it only carries the type. */
  readonly called?: M;
  /** Never set: what the method takes in its options, beside those of every call. */
  readonly named?: Named;
}

/** An operation of the console's API or the operator API, both of which take the session of a person. */
export interface SessionOperation<M extends Method = Method> extends Operation<M> {
  readonly api: 'console' | 'operator';
}

/** A query in which nothing is asked by null and undefined. */
export type Asked<Q> = { [K in keyof Q]: Q[K] | null | undefined };

/** What an operation is called with. @example type NewKey = ArgumentsOf<typeof createApiKey>[1] */
export type ArgumentsOf<O> = O extends Operation<infer M> ? Parameters<M> : never;

/** The method that sends an operation. */
export type MethodOf<M extends Method, Options> = (
  ...args: [...Parameters<M>, options?: Options]
) => Promise<ReturnType<M>>;

/** The methods that send several operations, by name. */
export type MethodsOf<Table, Options> = {
  readonly [Name in keyof Table]: Table[Name] extends Operation<infer M, infer Named>
    ? MethodOf<M, Options & Named>
    : never;
};

export type QueryValue = string | number | boolean | null | undefined;

export interface OperationRequest {
  readonly method: Operation['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, QueryValue>>;
}

/** Returns the request that a call of the operation sends, and the arguments that are left. */
export function requestOf(
  { method, path, takes = [] }: Operation,
  args: readonly unknown[],
): { request: OperationRequest; rest: readonly unknown[] } {
  const left = [...args];
  const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(left.shift())));
  const parts = Object.fromEntries(takes.map((part) => [part, left.shift()]));
  return { request: { method, path: filled, ...parts }, rest: left };
}
