// Short forms of the requests in tests of orders.
import type { Harness } from '../harness/harness.js';

export const MINUTE = 60_000;

export const free = async (h: Harness, key = h.keys.all) =>
  (await h.call('POST', '/quote', { key, body: { tier: 'm4', hours: 24 } })).json().available_now;

export const status = async (h: Harness, orderNo: string) => (await h.call('GET', `/orders/${orderNo}`)).json().status;

export const macs = async (h: Harness, key = h.keys.all) => (await h.call('GET', '/rentals', { key })).json().rentals;
