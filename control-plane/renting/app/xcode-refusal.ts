// Why no Mac with an Xcode is available, although the tier offers it: decided by what hosts and images have now. For a
// later start one host that has it is enough, because hosts may have changed by then.
import { countOf } from '../../../shared/count.js';
import { findTier } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import { xcodeMessage } from '../../macs/domain/xcode-message.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Calendar } from '../domain/calendar.js';
import { type Demand, orderable, orderableUnpaid } from '../domain/capacity.js';
import { gives } from '../domain/occupation.js';
import type { Order } from '../domain/order.js';
import { readHolds } from '../store/holds.js';
import type { OrderChangeDeps } from './order-changes.js';

/** Throws xcode_not_available unless the tier offers the Xcode. @param xcode null: the tier's default */
export function checkXcode(xcode: string | null, tier: Tier): void {
  if (xcode === null || tier.xcodeVersions.includes(xcode)) return;
  throw new ApiError('xcode_not_available', {
    message: xcodeMessage(xcode, tier.xcodeVersions, `on the tier ${tier.tier}`),
    detail: { field: 'setup.xcode', options: [...tier.xcodeVersions] },
  });
}

/** The refused request, for the requests that can be sent instead of it. */
export interface Wanted {
  readonly path: string;
  readonly units: number;
  /** Null: the tier's default. */
  readonly xcode: string | null;
  /** The body without units and Xcode. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** Whether the Macs are needed later. */
export const isAhead = ({ startAt }: { readonly startAt: number | null }, now: number) => (startAt ?? 0) > now;

/** Returns xcode_not_available if the Macs are free, but too few of them can have the Xcode; otherwise null. */
export function xcodeRefusal(
  calendar: Calendar,
  tier: Tier,
  demand: Demand,
  wanted: Wanted,
  limits: Limits,
): ApiError | null {
  const { units } = wanted;
  const { xcode } = demand;
  if (xcode === null) return null;
  const ahead = isAhead(demand, demand.now);
  const count = (version: string | null) => orderable(calendar, tier, { ...demand, xcode: version }, limits);
  const known = calendar.xcodesOf(tier.tier, ahead);
  const isGiven = known === null || known.has(xcode);
  const given = isGiven ? count(xcode) : 0;
  if (isGiven && (ahead || given >= units || count(null) < units)) return null;
  const versions = tier.xcodeVersions.filter((one) => one !== xcode && (known === null || known.has(one)));
  const enough = versions.filter((version) => count(version) >= units);
  const options = enough.length > 0 || given > 0 ? enough : versions;
  const next = [...(enough.at(-1) === undefined ? [] : [enough.at(-1)!]), ...(given > 0 ? [xcode] : [])].flatMap(
    (version): NextRequest[] => {
      const room = orderableUnpaid(calendar, tier, { ...demand, xcode: version }, limits);
      const body = { ...wanted.request, units: Math.min(units, room), setup: { xcode: version } };
      const action = version === xcode ? 'order_fewer' : 'choose_another_xcode';
      return room > 0 ? [{ action, method: 'POST', path: wanted.path, body }] : [];
    },
  );
  const name = wanted.xcode === null ? `Xcode ${xcode}, the default of the tier,` : `Xcode ${xcode}`;
  const most = given > 0 ? `only on ${countOf(given, 'Mac')} (${units} were asked for)` : 'on no host';
  return new ApiError('xcode_not_available', {
    message: `${name} is available ${most} of the tier ${tier.tier} now${choice(options)}`,
    detail: { field: 'setup.xcode', options },
    next,
  });
}

const choice = (options: readonly string[]) => (options.length === 0 ? '.' : `; choose one of ${options.join(', ')}.`);

/** Returns xcode_not_available if hosts can no longer give an unpaid order its Xcode, so that it must not be charged. */
export async function xcodeLost(
  tx: Transaction,
  { availability, clock }: Pick<OrderChangeDeps, 'availability' | 'clock'>,
  order: Order,
): Promise<ApiError | null> {
  const now = clock.now();
  const { accountId } = order;
  const tier = order.kind === 'rental' && order.tier !== null ? await findTier(tx, order.tier) : null;
  const xcode = order.setup.xcode ?? tier?.defaultXcode ?? null;
  if (!tier || xcode === null) return null;
  const holds = await readHolds(tx, order.orderNo);
  const calendar = await availability.within(tx);
  const ahead = isAhead(order, now);
  const known = calendar.xcodesOf(tier.tier, ahead);
  if (ahead && (known === null || known.has(xcode))) return null;
  const without = holds.filter(({ slotId }) => {
    const host = calendar.hostOfSlot(slotId);
    return host !== undefined && !gives(host, xcode);
  });
  if (without.length === 0) return null;
  const window = { startsAt: now, endsAt: now + order.hours * HOUR_MS };
  if (!ahead && calendar.count({ tier: tier.tier, accountId, window, now, xcode }) >= without.length) return null;
  const options = tier.xcodeVersions.filter((one) => one !== xcode && known?.has(one));
  return new ApiError('xcode_not_available', {
    message:
      `Xcode ${xcode} is no longer on the hosts that the order ${order.orderNo} holds; nothing has been charged. ` +
      `Cancel it and order again${choice(options)}`,
    detail: { field: 'setup.xcode', options },
  });
}
