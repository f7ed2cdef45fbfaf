import { calledWith, methodsOf, withNamed } from '../http/call-operation.js';
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
import type { RentalFilter } from '../types.js';

const operations = {
  /** Every Mac that has not ended, and the queue; with a query those that it finds, or one page. */
  list: withNamed(listRentals, (filter: RentalFilter) => [filter]),
  get: getRental,
  /** States of a Mac, newest first, also after its rental ended. */
  history: getRentalHistory,
  /** Changes its name, or Xcode, simulator runtimes or tools to values of the Mac's `setup_options`. */
  setUp: changeSetup,
  /** Gives a Mac another name. */
  rename: calledWith(changeSetup, (id: string, name: string) => [id, { name }]),
  quoteExtension: calledWith(quoteExtension, (id: string, hours: number) => [id, { hours }]),
  /** One quote for several Macs; those that cannot be extended say why. */
  quoteExtensions: calledWith(quoteExtensions, (ids: string[], hours: number) => [{ rental_ids: ids, hours }]),
  /** Orders more time for a Mac; a person pays at the order's `pay_url`. */
  extend: calledWith(extendRental, (id: string, hours: number) => [id, { hours }]),
  /** Orders more time for several Macs with one payment; fails when one of them cannot be extended. */
  extendAll: calledWith(extendRentals, (ids: string[], hours: number) => [{ rental_ids: ids, hours }]),
};

/** The account's Macs, their setup and their extension. `hours` are multiples of 24. */
export interface RentalsApi extends MethodsOf<typeof operations, CallOptions> {}

export const rentalsApi = (wire: Wire): RentalsApi => methodsOf(wire, operations);
