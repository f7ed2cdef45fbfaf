// Extensions of rented Macs: quotes and orders.
import type { Core } from '../../platform/app/core.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { isPeriod, nearestPeriod, PASS_HOURS } from '../domain/pricing.js';
import type { Availability } from './availability.js';
import { type ExtensionItem, extensionItems } from './extension-items.js';
import { addHold } from './holds.js';
import { insteadOf } from './instead-of-extension.js';
import type { DetailedOrder } from './order-lookup.js';
import { type Buyer, checkMayBuy, tooManyPending, writeOrder } from './order-placement.js';
import type { RecordOrder } from './orders.js';
import { rentedMacsOf } from './rentals.js';

export interface ExtensionsDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly wake: Wake;
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

  const readItems = async (account: Buyer, rentalIds: readonly string[], hours: number) =>
    extensionItems(deps, store, await availability.current(store), account, rentalIds, hours);

  /** Throws invalid_period, with what can be sent instead. */
  const checkHours = async (account: Buyer, rentalIds: readonly string[], hours: number): Promise<void> => {
    if (isPeriod(hours)) return;
    const found = await readItems(account, rentalIds, PASS_HOURS);
    const items = found instanceof ApiError ? [] : found;
    const mostDays = Math.min(limits.max_rental_days, ...items.map(({ maxDays }) => maxDays));
    const nearest = mostDays > 0 ? { nearest: nearestPeriod(hours, mostDays * PASS_HOURS) } : {};
    throw new ApiError('invalid_period', {
      message: `hours must be a multiple of ${PASS_HOURS}, at least ${PASS_HOURS}.`,
      detail: { field: 'hours', ...nearest },
      next: mostDays > 0 ? [] : (items.find(({ maxDays }) => maxDays === 0)?.newMac ?? []),
    });
  };

  const quoted = async (account: Buyer, rentalIds: readonly string[], hours: number) => {
    await checkHours(account, rentalIds, hours);
    const items = await readItems(account, rentalIds, hours);
    if (items instanceof ApiError) throw items;
    return items;
  };

  return {
    /** @throws ApiError invalid_period, rental_not_found, or why the Mac cannot be extended */
    async quote(account: Buyer, rentalId: string, hours: number): Promise<ExtensionItem> {
      const items = await quoted(account, [rentalId], hours);
      const [item] = items;
      if (!item || item.refusal) throw refuseOne(items, '/quote');
      return item;
    },

    /** Quotes every Mac; a refused one has its reason. Throws invalid_period, rental_not_found. */
    async quoteAll(account: Buyer, rentalIds: readonly string[], hours: number): Promise<MultiQuote> {
      const items = await quoted(account, rentalIds, hours);
      const possible = items.filter((item) => item.refusal === null);
      return { hours, items, amountWon: possible.reduce((sum, item) => sum + item.amountWon, 0) };
    },

    /** @throws ApiError account_blocked, invalid_period, rental_not_found, too_many_pending_orders, or the reason */
    async order(caller: Caller, rentalId: string, hours: number, record: RecordOrder): Promise<DetailedOrder> {
      checkMayBuy(caller);
      await checkHours(caller.account, [rentalId], hours);
      return answered(
        store.transaction((tx) => place(deps, tx, caller, [rentalId], hours, (items) => refuseOne(items), record)),
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
      await checkHours(caller.account, rentalIds, hours);
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
  const calendar = await availability.within(tx);
  const items = await extensionItems(deps, tx, calendar, caller.account, rentalIds, hours);
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
  const names = items.map(({ name }) => name);
  const placed = {
    order: written,
    rentalIds: [...rentalIds],
    names,
    rentalsStartAt: null,
    rentalsEndedAt: null,
    receiptUrl: null,
  };
  await record(tx, placed);
  return placed;
}

/** Throws a refusal only after its transaction, because a rollback would discard the calendar. */
async function answered<T>(outcome: Promise<T | ApiError>): Promise<T> {
  const value = await outcome;
  if (value instanceof ApiError) throw value;
  return value;
}

/** @param rest of the path of the refused request, behind `/extend` */
function refuseOne([item]: readonly ExtensionItem[], rest = ''): ApiError {
  if (!item?.refusal) throw new Error('the extension is not refused');
  const { code, message, orderNo } = item.refusal;
  const pending = code === 'extension_pending' && orderNo !== null;
  return new ApiError(code, {
    message,
    detail: { rental_id: item.rentalId, ...(pending ? { order_no: orderNo } : {}) },
    next: pending ? [waitForOrder(orderNo)] : insteadOf(item, `${API_ROOT}/rentals/${item.rentalId}/extend${rest}`),
  });
}

function refuseAll(items: readonly ExtensionItem[], hours: number, view: readonly object[]): ApiError {
  const possible = items.filter((item) => item.refusal === null).map((item) => item.rentalId);
  const path = `${API_ROOT}/rentals/extend`;
  const rest = { action: 'extend_the_others', method: 'POST', path, body: { rental_ids: possible, hours } };
  return new ApiError('extension_unavailable', {
    detail: { items: view },
    ...(possible.length > 0 ? { next: [rest] } : {}),
  });
}

const waitForOrder = (orderNo: string): NextRequest => ({
  action: 'wait_for_order',
  method: 'GET',
  path: `${API_ROOT}/orders/${orderNo}/wait`,
});
