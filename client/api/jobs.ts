import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { Job } from '../types.js';

export interface JobsApi {
  /** Progress of a reset, Xcode or set-up change. */
  get(id: string, options?: CallOptions): Promise<Job>;
}

export function jobsApi(wire: Wire): JobsApi {
  return {
    get: (id, options) =>
      fetchJson(wire, { method: 'GET', path: `/jobs/${encodeURIComponent(id)}`, options }),
  };
}
