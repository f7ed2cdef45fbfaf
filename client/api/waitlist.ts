import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { Waitlist, WaitlistEntry, WaitlistRequest } from '../types.js';

/** Notices when a sold-out tier has free Macs again. */
export interface WaitlistApi {
  list(options?: CallOptions): Promise<Waitlist>;
  add(request: WaitlistRequest, options?: CallOptions): Promise<WaitlistEntry>;
  /** Only while the entry is waiting. */
  cancel(id: string, options?: CallOptions): Promise<WaitlistEntry>;
}

export function waitlistApi(wire: Wire): WaitlistApi {
  return {
    list: (options) => fetchJson(wire, { method: 'GET', path: '/waitlist', options }),
    add: (request, options) => fetchJson(wire, { method: 'POST', path: '/waitlist', json: request, options }),
    cancel: (id, options) =>
      fetchJson(wire, { method: 'DELETE', path: `/waitlist/${encodeURIComponent(id)}`, options }),
  };
}
