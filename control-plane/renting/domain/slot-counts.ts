// What operators know about capacity: slots that can be sold now, that are used, and that cannot be sold.
import { type Host, takesRentals } from '../../hosts/domain/host.js';
import { isUp } from './occupation.js';

export interface SlotCounts {
  /** A new account could have a Mac there now. */
  readonly free: number;
  /** With a Mac, reserved, or held by an unpaid order. */
  readonly used: number;
  /** The host takes no new Macs now, or serves one account at a time and has it. */
  readonly unsellable: number;
}

/** The slots of one host. */
export function slotCounts(
  host: Pick<Host, 'status' | 'draining' | 'connected' | 'blocked' | 'shared'>,
  { total, used }: { readonly total: number; readonly used: number },
): SlotCounts {
  const isSellable =
    takesRentals(host) &&
    isUp({ connected: host.connected, blocked: host.blocked !== null }) &&
    (host.shared || used === 0);
  const rest = total - used;
  return isSellable ? { free: rest, used, unsellable: 0 } : { free: 0, used, unsellable: rest };
}

export function addCounts(a: SlotCounts, b: SlotCounts): SlotCounts {
  return { free: a.free + b.free, used: a.used + b.used, unsellable: a.unsellable + b.unsellable };
}
