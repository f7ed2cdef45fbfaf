// Operations sent over a wire.
import type { Method, MethodOf, MethodsOf, Operation } from '../operations/operation.js';
import { requestOf } from '../operations/operation.js';
import { type Call, type CallOptions, fetchJsonOrNull, fetchText, type Wire } from './exchange.js';

/** Returns the call of an operation with these arguments, for those that send or answer bytes. */
export function callOf<M extends Method>(operation: Operation<M>, args: Parameters<M>, options?: CallOptions): Call {
  return toCall(operation, requestOf(operation, args).request, options);
}

/** Returns the method that sends the operation. */
export function methodOf<M extends Method>(wire: Wire, operation: Operation<M>): MethodOf<M, CallOptions> {
  return ((...args: unknown[]) => {
    const { request, rest } = requestOf(operation, args);
    const call = toCall(operation, request, rest[0] as CallOptions | undefined);
    if (operation.answers === 'nothing') return fetchText(wire, call).then(() => undefined);
    return operation.answers === 'text' ? fetchText(wire, call) : fetchJsonOrNull(wire, call);
  }) as MethodOf<M, CallOptions>;
}

/** @example methodsOf(wire, { list: listWebhooks, get: getWebhook }) */
export function methodsOf<T extends Readonly<Record<string, Operation>>>(
  wire: Wire,
  table: T,
): MethodsOf<T, CallOptions> {
  const methods = Object.entries(table).map(([name, operation]) => [name, methodOf(wire, operation)]);
  return Object.fromEntries(methods) as MethodsOf<T, CallOptions>;
}

function toCall(
  { api, holds }: Operation,
  { method, path, query, body }: ReturnType<typeof requestOf>['request'],
  options: CallOptions | undefined,
): Call {
  return {
    method,
    path,
    options,
    ...(api === 'console' ? { api } : {}),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { json: body }),
    ...(holds === undefined ? {} : { holdMs: Number(query?.[holds] ?? 0) * 1000 }),
  };
}
