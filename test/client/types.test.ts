// The client's types are written by hand, so that the library needs no package; here the compiler holds them against
// the shapes that the service answers with.
import t from 'tap';
import type { z } from 'zod';
import type {
  AgentMac,
  Build,
  ExtensionQuote,
  Job,
  MultiExtensionQuote,
  OperationResult,
  OperationResults,
  Order,
  OrderPage,
  Quote,
  RentalDetail,
  RentalList,
  Waitlist,
  WaitlistEntry,
} from '../../client/index.js';
import type { buildShape } from '../../control-plane/http/agent-api/views/build.js';
import type { jobShape } from '../../control-plane/http/agent-api/views/jobs.js';
import type { macShape } from '../../control-plane/http/agent-api/views/mac.js';
import type { changeShape, macResultsShape } from '../../control-plane/http/agent-api/views/maintenance.js';
import type { orderListShape, orderShape } from '../../control-plane/http/agent-api/views/order.js';
import type {
  extensionQuoteShape,
  multiQuoteShape,
  quoteShape,
} from '../../control-plane/http/agent-api/views/quote.js';
import type { macDetailShape, rentalListShape } from '../../control-plane/http/agent-api/views/rental.js';
import type { waitlistEntryShape, waitlistShape } from '../../control-plane/http/agent-api/views/waitlist.js';

/** What arrives: JSON has no undefined. */
type Sent<T> = T extends readonly (infer Item)[]
  ? Sent<Item>[]
  : T extends object
    ? { [Key in keyof T]: Sent<Exclude<T[Key], undefined>> }
    : T;

/** Only true can be written where the shape's answers are of the type. */
type Is<Shape extends z.ZodType, Type> = Sent<z.output<Shape>> extends Type ? true : never;

t.test('what the service sends is of the types that the client promises', (t) => {
  const quote: Is<typeof quoteShape, Quote> = true;
  const order: Is<typeof orderShape, Order> = true;
  const orders: Is<typeof orderListShape, OrderPage> = true;
  const mac: Is<typeof macShape, AgentMac> = true;
  const rentals: Is<typeof rentalListShape, RentalList> = true;
  const detail: Is<typeof macDetailShape, RentalDetail> = true;
  const extension: Is<typeof extensionQuoteShape, ExtensionQuote> = true;
  const extensions: Is<typeof multiQuoteShape, MultiExtensionQuote> = true;
  const change: Is<typeof changeShape, OperationResult> = true;
  const changes: Is<typeof macResultsShape, OperationResults> = true;
  const job: Is<typeof jobShape, Job> = true;
  const entry: Is<typeof waitlistEntryShape, WaitlistEntry> = true;
  const entries: Is<typeof waitlistShape, Waitlist> = true;
  const build: Is<typeof buildShape, Build> = true;
  const all = [quote, order, orders, mac, rentals, detail, extension, extensions, change, changes, job];
  t.ok([...all, entry, entries, build].every((agreed) => agreed));
  t.end();
});
