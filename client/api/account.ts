import { calledWith, methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { getAgentStart, getCatalog, getMe, getPool, getQueue, getStatus } from '../operations/api.js';
import type { MethodsOf, Operation } from '../operations/operation.js';
import type { Me } from '../types.js';

/** The key in the answer is never null: it is the one that made the request. */
export type OwnMe = Me & { key: NonNullable<Me['key']> };

const operations = {
  /** Account, key, scopes, limits and remaining requests. */
  me: getMe as Operation<() => OwnMe>,
  /** Prices, specifications, Xcode versions and free Macs of each tier. */
  catalog: getCatalog,
  queue: getQueue,
  pool: getPool,
  /** The guide for agents, in Markdown. */
  agentStart: getAgentStart,
  /** Macs, queue, last builds and advice in one answer. */
  status: calledWith(getStatus, () => [{}]),
};

/** The account of the key, the catalog and the Macs. */
export interface AccountApi extends MethodsOf<typeof operations, CallOptions> {}

export const accountApi = (wire: Wire): AccountApi => methodsOf(wire, operations);
