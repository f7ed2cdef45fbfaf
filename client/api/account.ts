import { type CallOptions, fetchJson, fetchText, type Wire } from '../http/exchange.js';
import type { AgentQueue, AgentStatus, Catalog, Me, Pool } from '../types.js';

/** The key in the answer is never null: it is the one that made the request. */
export type OwnMe = Me & { key: NonNullable<Me['key']> };

/** The account of the key, the catalog and the Macs. */
export interface AccountApi {
  /** Account, key, scopes, limits and remaining requests. */
  me(options?: CallOptions): Promise<OwnMe>;
  /** Prices, specifications, Xcode versions and free Macs of each tier. */
  catalog(options?: CallOptions): Promise<Catalog>;
  /** Macs, queue, last builds and advice in one answer. */
  status(options?: CallOptions): Promise<AgentStatus>;
  queue(options?: CallOptions): Promise<AgentQueue>;
  pool(options?: CallOptions): Promise<Pool>;
  /** The guide for agents, in Markdown. */
  agentStart(options?: CallOptions): Promise<string>;
}

export function accountApi(wire: Wire): AccountApi {
  const get = <T>(path: string, options?: CallOptions) => fetchJson<T>(wire, { method: 'GET', path, options });
  return {
    me: (options) => get<OwnMe>('/me', options),
    catalog: (options) => get<Catalog>('/catalog', options),
    status: (options) => get<AgentStatus>('/status', options),
    queue: (options) => get<AgentQueue>('/queue', options),
    pool: (options) => get<Pool>('/pool', options),
    agentStart: (options) => fetchText(wire, { method: 'GET', path: '/agent/start', options }),
  };
}
