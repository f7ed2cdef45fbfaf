import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { ErrorFilter, ErrorPage } from '../types.js';

export interface ErrorsApi {
  /** Recent API errors and failed builds of the account, newest first. */
  list(filter?: ErrorFilter, options?: CallOptions): Promise<ErrorPage>;
}

export function errorsApi(wire: Wire): ErrorsApi {
  return {
    list: (filter, options) => fetchJson(wire, { method: 'GET', path: '/errors', query: { ...filter }, options }),
  };
}
