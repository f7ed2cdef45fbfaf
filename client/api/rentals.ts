import { methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import {
  changeSetup,
  extendRental,
  extendRentals,
  getRental,
  getRentalHistory,
  listRentals,
  quoteExtension,
  quoteExtensions,
} from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type {
  AcceptedOperation,
  ExtensionQuote,
  MultiExtensionQuote,
  Order,
  RentalFilter,
  RentalList,
} from '../types.js';

const operations = {
  get: getRental,
  /** States of a Mac, newest first, also after its rental ended. */
  history: getRentalHistory,
  /** Changes its name, or Xcode, simulator runtimes or tools to values of the Mac's `setup_options`. */
  setUp: changeSetup,
};

/** The account's Macs, their setup and their extension. `hours` are multiples of 24. */
export interface RentalsApi extends MethodsOf<typeof operations, CallOptions> {
  /** Every Mac that has not ended, and the queue; with a query one page. */
  list(options?: CallOptions & RentalFilter): Promise<RentalList>;
  quoteExtension(id: string, hours: number, options?: CallOptions): Promise<ExtensionQuote>;
  /** Gives a Mac another name. */
  rename(id: string, name: string, options?: CallOptions): Promise<AcceptedOperation>;
  /** One quote for several Macs; those that cannot be extended say why. */
  quoteExtensions(ids: string[], hours: number, options?: CallOptions): Promise<MultiExtensionQuote>;
  /** Orders more time for a Mac; a person pays at the order's `pay_url`. */
  extend(id: string, hours: number, options?: CallOptions): Promise<Order>;
  /** Orders more time for several Macs with one payment; fails when one of them cannot be extended. */
  extendAll(ids: string[], hours: number, options?: CallOptions): Promise<Order>;
}

export function rentalsApi(wire: Wire): RentalsApi {
  const send = methodsOf(wire, {
    listRentals,
    changeSetup,
    quoteExtension,
    quoteExtensions,
    extendRental,
    extendRentals,
  });
  return {
    ...methodsOf(wire, operations),
    list: ({ limit, cursor, ...options } = {}) => send.listRentals({ limit, cursor }, options),
    rename: (id, name, options) => send.changeSetup(id, { name }, options),
    quoteExtension: (id, hours, options) => send.quoteExtension(id, { hours }, options),
    quoteExtensions: (rental_ids, hours, options) => send.quoteExtensions({ rental_ids, hours }, options),
    extend: (id, hours, options) => send.extendRental(id, { hours }, options),
    extendAll: (rental_ids, hours, options) => send.extendRentals({ rental_ids, hours }, options),
  };
}
