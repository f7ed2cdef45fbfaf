import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type {
  AcceptedOperation,
  ExtensionQuote,
  MacHistory,
  MultiExtensionQuote,
  Order,
  RentalDetail,
  RentalList,
  SetupChange,
} from '../types.js';

export interface HistoryQuery {
  /** `next_before` of the page before. */
  before?: string;
  limit?: number;
}

export interface MacPageQuery {
  /** Macs of a page, and at most as many builds of each list of the queue. Without it and `cursor`: all. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

/** The account's Macs, their setup and their extension. `hours` are multiples of 24. */
export interface RentalsApi {
  /** Every Mac that has not ended, and the queue; with a query one page. */
  list(options?: CallOptions & MacPageQuery): Promise<RentalList>;
  get(id: string, options?: CallOptions): Promise<RentalDetail>;
  /** States of a Mac, newest first, also after its rental ended. */
  history(id: string, query?: HistoryQuery, options?: CallOptions): Promise<MacHistory>;
  /** Changes Xcode, simulator runtimes or tools, to values of the Mac's `setup_options`. */
  setUp(id: string, change: SetupChange, options?: CallOptions): Promise<AcceptedOperation>;
  quoteExtension(id: string, hours: number, options?: CallOptions): Promise<ExtensionQuote>;
  /** One quote for several Macs; those that cannot be extended say why. */
  quoteExtensions(ids: string[], hours: number, options?: CallOptions): Promise<MultiExtensionQuote>;
  /** Orders more time for a Mac; a person pays at the order's `pay_url`. */
  extend(id: string, hours: number, options?: CallOptions): Promise<Order>;
  /** Orders more time for several Macs with one payment; fails when one of them cannot be extended. */
  extendAll(ids: string[], hours: number, options?: CallOptions): Promise<Order>;
}

export function rentalsApi(wire: Wire): RentalsApi {
  const pathOf = (id: string, rest = '') => `/rentals/${encodeURIComponent(id)}${rest}`;
  const post = <T>(path: string, json: unknown, options?: CallOptions) =>
    fetchJson<T>(wire, { method: 'POST', path, json, options });
  return {
    list: ({ limit, cursor, ...options } = {}) =>
      fetchJson(wire, { method: 'GET', path: '/rentals', query: { limit, cursor }, options }),
    get: (id, options) => fetchJson(wire, { method: 'GET', path: pathOf(id), options }),
    history: (id, query = {}, options) =>
      fetchJson(wire, { method: 'GET', path: pathOf(id, '/history'), query: { ...query }, options }),
    setUp: (id, change, options) => fetchJson(wire, { method: 'PATCH', path: pathOf(id), json: change, options }),
    quoteExtension: (id, hours, options) => post(pathOf(id, '/extend/quote'), { hours }, options),
    quoteExtensions: (rental_ids, hours, options) => post('/rentals/extend/quote', { rental_ids, hours }, options),
    extend: (id, hours, options) => post(pathOf(id, '/extend'), { hours }, options),
    extendAll: (rental_ids, hours, options) => post('/rentals/extend', { rental_ids, hours }, options),
  };
}
