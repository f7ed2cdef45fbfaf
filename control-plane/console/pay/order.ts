// The order as the pay page shows it, and how to find it.
import { type Answer, type Organization, request, type Session } from './api.js';
import type { Checkout } from './checkout.js';

export interface Order {
  readonly order_no: string;
  readonly kind: 'rental' | 'extension';
  readonly status: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
  readonly tier: string | null;
  readonly hours: number;
  readonly units: number;
  readonly amount_won: number;
  readonly supply_won: number;
  readonly vat_won: number;
  /** `now`, or an ISO time. */
  readonly start: string;
  readonly setup: { readonly xcode: string | null };
  readonly items: readonly {
    readonly rental_id: string | null;
    readonly tier: string | null;
    readonly units: number;
    readonly amount_won: number;
  }[];
  readonly pay_expires_at: string;
  readonly paid_at: string | null;
  readonly receipt_url: string | null;
  readonly rental_ids: readonly string[];
  readonly refunded_won: number;
  readonly refunded_at: string | null;
  readonly end_reason: string | null;
}

export interface Payment {
  readonly status: string;
  readonly failure_code: string | null;
  /** Data for the provider's window; null if there is no window to open. */
  readonly checkout: Checkout | null;
}

/** Response of pay, confirm and cancel. */
export interface PayStep {
  readonly order: Order;
  readonly payment: Payment | null;
}

export interface PayState extends PayStep {
  readonly provider: 'approval' | 'sandbox' | 'portone';
  readonly consent: { readonly version: string; readonly terms: string; readonly withdrawal: string };
}

export interface FoundOrder {
  readonly organization: Organization;
  readonly order: Order;
  /** Null if the person may view the order but not pay it. */
  readonly pay: PayState | null;
}

export const payPath = (organization: Organization, orderNo: string): string =>
  `/v1/organizations/${encodeURIComponent(organization.id)}/orders/${encodeURIComponent(orderNo)}`;

/** Finds the order in the person's organizations; null if none has it. */
export async function findOrder(session: Session, orderNo: string): Promise<Answer<FoundOrder | null>> {
  for (const organization of session.organizations) {
    const found = await orderIn(organization, orderNo);
    if (found.ok || found.failure.status !== 404) return found;
  }
  return { ok: true, value: null };
}

/** Developers get the order as API programs do; only owners and admins can pay. */
export async function orderIn(organization: Organization, orderNo: string): Promise<Answer<FoundOrder>> {
  if (organization.role === 'developer') {
    const path = `/v1/organizations/${encodeURIComponent(organization.id)}/agent/orders/${encodeURIComponent(orderNo)}`;
    const answer = await request<Order>('GET', path);
    return answer.ok ? { ok: true, value: { organization, order: answer.value, pay: null } } : answer;
  }
  const answer = await request<PayState>('GET', payPath(organization, orderNo));
  if (!answer.ok) return answer;
  return { ok: true, value: { organization, order: answer.value.order, pay: answer.value } };
}
