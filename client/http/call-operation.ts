// Operations sent over a wire.
import type { Method, MethodOf, MethodsOf, Operation } from '../operations/operation.js';
import { requestOf } from '../operations/operation.js';
import { type Call, type CallOptions, fetchJsonOrNull, fetchText, type Wire } from './exchange.js';

/** `adapt` returns the arguments of the operation, and the options, for those of the method. */
interface Adapted<M extends Method> extends Operation<M> {
  adapt(given: readonly unknown[]): readonly unknown[];
}

/**
 * Returns the operation as one that is called with other arguments. Parameters of `adapt` have no default values, because
 * their number decides where the options are.
 *
 * @example methodsOf(wire, { rename: calledWith(changeSetup, (id: string, name: string) => [id, { name }]) })
 */
export function calledWith<Given extends unknown[], Args extends unknown[], Answer>(
  operation: Operation<(...args: Args) => Answer>,
  adapt: (...given: Given) => [...NoInfer<Args>],
): Operation<(...given: Given) => Answer> {
  const { length } = adapt;
  return adapted(operation, (given) => [...adapt(...(given.slice(0, length) as Given)), ...given.slice(length)]);
}

/**
 * The same for values that the method takes by name, in its options: `adapt` gets them last, without the options of every call.
 *
 * @example methodsOf(wire, { list: withNamed(listRentals, (filter: RentalFilter) => [filter]) }).list({ q: 'ci', signal })
 */
export function withNamed<Given extends unknown[], Named extends object, Args extends unknown[], Answer>(
  operation: Operation<(...args: Args) => Answer>,
  adapt: (...given: [...Given, Named]) => [...NoInfer<Args>],
): Operation<(...given: Given) => Answer, Named> {
  const last = adapt.length - 1;
  return adapted(operation, (given) => {
    const { signal, retry, idempotencyKey, ...named } = (given[last] ?? {}) as CallOptions;
    return [...adapt(...([...given.slice(0, last), named] as [...Given, Named])), { signal, retry, idempotencyKey }];
  });
}

const adapted = <M extends Method, Named>(operation: Operation, adapt: Adapted<M>['adapt']): Operation<M, Named> =>
  ({ ...operation, adapt }) as unknown as Operation<M, Named>;

/** Returns the call of an operation with these arguments, for those that send or answer bytes. */
export function callOf<M extends Method>(operation: Operation<M>, args: Parameters<M>, options?: CallOptions): Call {
  return toCall(operation, requestOf(operation, args).request, options);
}

/** Returns the method that sends the operation. */
function methodOf<M extends Method>(wire: Wire, operation: Operation<M>): MethodOf<M, CallOptions> {
  const { adapt } = operation as Partial<Adapted<M>>;
  return ((...given: unknown[]) => {
    const { request, rest } = requestOf(operation, adapt?.(given) ?? given);
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
