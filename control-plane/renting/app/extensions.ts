// Extensions of rented Macs: quotes and orders.
import type { Clock } from '../../../shared/clock.js';
import { API_PATH } from '../../platform/domain/addresses.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError, type NextRequest } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { isPeriod, nearestPeriod, PASS_HOURS } from '../domain/pricing.js';
import type { Availability } from './availability.js';
import { type ExtensionItem, extensionItems } from './extension-items.js';
import { addHold } from './holds.js';
import type { DetailedOrder } from './order-lookup.js';
import { checkMayBuy, tooManyPending, writeOrder } from './order-placement.js';
import type { RecordOrder } from './orders.js';
import { rentedMacsOf } from './rentals.js';

export interface ExtensionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly wake: Wake;
  readonly limits: Limits;
  readonly availability: Availability;
}

export interface MultiQuote {
  readonly hours: number;
  /** Sum of the Macs that can be extended. */
  readonly amountWon: number;
  readonly items: readonly ExtensionItem[];
}

export type Extensions = ReturnType<typeof createExtensions>;

export function createExtensions(deps: ExtensionsDeps) {
  const { store, limits, availability } = deps;

  const quoted = async (accountId: number, rentalIds: readonly string[], hours: number) => {
    checkHours(hours, limits.max_rental_days * PASS_HOURS);
    const items = await extensionItems(
      deps,
      store,
      await availability.current(store),
      accountId,
      rentalIds,
      hours,
    );
    if (items instanceof ApiError) throw items;
    return items;
  };

  return {
    /** @throws ApiError invalid_period, rental_not_found, or why the Mac cannot be extended */
    async quote(accountId: number, rentalId: string, hours: number): Promise<ExtensionItem> {
      const items = await quoted(accountId, [rentalId], hours);
      const [item] = items;
      if (!item || item.refusal) throw refuseOne(items);
      return item;
    },

    /** Quotes every Mac; a refused one has its reason. Throws invalid_period, rental_not_found. */
    async quoteAll(accountId: number, rentalIds: readonly string[], hours: number): Promise<MultiQuote> {
      const items = await quoted(accountId, rentalIds, hours);
      const possible = items.filter((item) => item.refusal === null);
      return { hours, items, amountWon: possible.reduce((sum, item) => sum + item.amountWon, 0) };
    },

    /** @throws ApiError account_blocked, invalid_period, rental_not_found, too_many_pending_orders, or the reason */
    async order(
      caller: Caller,
      rentalId: string,
      hours: number,
      record: RecordOrder,
    ): Promise<DetailedOrder> {
      checkMayBuy(caller);
      checkHours(hours, limits.max_rental_days * PASS_HOURS);
      return answered(
        store.transaction((tx) => place(deps, tx, caller, [rentalId], hours, refuseOne, record)),
      );
    },

    /** Places one order for all Macs or none: extension_unavailable has a reason for each refused one. */
    async orderAll(
      caller: Caller,
      rentalIds: readonly string[],
      hours: number,
      view: (items: readonly ExtensionItem[]) => readonly object[],
      record: RecordOrder,
    ): Promise<DetailedOrder> {
      checkMayBuy(caller);
      checkHours(hours, limits.max_rental_days * PASS_HOURS);
      const refuse = (items: readonly ExtensionItem[]) => refuseAll(items, hours, view(items));
      return answered(store.transaction((tx) => place(deps, tx, caller, rentalIds, hours, refuse, record)));
    },
  };
}

/** Orders the extensions, or returns why they are refused. */
async function place(
  deps: ExtensionsDeps,
  tx: Transaction,
  caller: Caller,
  rentalIds: readonly string[],
  hours: number,
  refuse: (items: readonly ExtensionItem[]) => ApiError,
  record: RecordOrder,
): Promise<DetailedOrder | ApiError> {
  const { clock, limits, availability } = deps;
  const accountId = caller.account.id;
  const items = await extensionItems(deps, tx, await availability.within(tx), accountId, rentalIds, hours);
  if (items instanceof ApiError) return items;
  if (items.some((item) => item.refusal !== null)) return refuse(items);
  const tooMany = await tooManyPending(tx, caller, clock.now(), limits);
  if (tooMany) return tooMany;
  const tiers = new Set(items.map((item) => item.tier));
  const written = await writeOrder(tx, deps, caller, {
    kind: 'extension',
    tier: tiers.size === 1 ? (items[0]?.tier ?? null) : null,
    hours,
    units: items.length,
    amountWon: items.reduce((sum, item) => sum + item.amountWon, 0),
    startAt: null,
    setup: { xcode: null },
    items: items.map(({ rentalId, tier, amountWon }) => ({ rentalId, tier, amountWon, refunded: false })),
  });
  const macs = new Map((await rentedMacsOf(tx, accountId)).map((mac) => [mac.rentalId, mac]));
  for (const { rentalId, endsAt, newEndsAt } of items) {
    const slotId = macs.get(rentalId)?.slotId;
    if (slotId === undefined) throw new Error(`the rental ${rentalId} is gone`);
    const hold = {
      orderNo: written.orderNo,
      accountId,
      slotId,
      rentalId,
      startsAt: endsAt,
      endsAt: newEndsAt,
    };
    await addHold(tx, hold);
  }
  const placed = { order: written, rentalIds: [...rentalIds], receiptUrl: null };
  await record(tx, placed);
  return placed;
}

/** Throws a refusal only after its transaction, because a rollback would discard the calendar. */
async function answered<T>(outcome: Promise<T | ApiError>): Promise<T> {
  const value = await outcome;
  if (value instanceof ApiError) throw value;
  return value;
}

function checkHours(hours: number, mostHours: number): void {
  if (isPeriod(hours)) return;
  throw new ApiError('invalid_period', {
    message: `hours must be a multiple of ${PASS_HOURS}, at least ${PASS_HOURS}.`,
    detail: { field: 'hours', nearest: nearestPeriod(hours, mostHours) },
  });
}

function refuseOne([item]: readonly ExtensionItem[]): ApiError {
  if (!item?.refusal) throw new Error('the extension is not refused');
  const { code, message, orderNo } = item.refusal;
  const pending = code === 'extension_pending' && orderNo !== null;
  return new ApiError(code, {
    message,
    detail: { rental_id: item.rentalId, ...(pending ? { order_no: orderNo } : {}) },
    ...(pending ? { next: [waitForOrder(orderNo)] } : {}),
  });
}

function refuseAll(items: readonly ExtensionItem[], hours: number, view: readonly object[]): ApiError {
  const possible = items.filter((item) => item.refusal === null).map((item) => item.rentalId);
  const path = `${API_PATH}/rentals/extend`;
  const rest = { action: 'extend_the_others', method: 'POST', path, body: { rental_ids: possible, hours } };
  return new ApiError('extension_unavailable', {
    detail: { items: view },
    ...(possible.length > 0 ? { next: [rest] } : {}),
  });
}

const waitForOrder = (orderNo: string): NextRequest => ({
  action: 'wait_for_order',
  method: 'GET',
  path: `${API_PATH}/orders/${orderNo}/wait`,
});
