// The shapes of renting (quotes, orders, rentals, their changes, the waitlist), as the service sends them.
// Money is integer won, VAT included; times are ISO 8601 strings.
import type { AgentMac, AgentQueue, Build, Job, MacState, WaitlistEntry } from './types.js';

/** Body of `POST /quote`. */
export interface QuoteRequest {
  tier: string;
  /** A multiple of 24, from 24 to 720. */
  hours: number;
  /** Macs; 1 by default. */
  units?: number;
}

export interface QuoteLine {
  /** `24h`. */
  period: string;
  count: number;
  /** The line's sum; the lines add up to the quote's amount. */
  amount_won: number;
}

export interface Quote {
  tier: string;
  hours: number;
  units: number;
  /** One Mac for 24 hours. */
  unit_price_won: number;
  amount_won: number;
  breakdown: QuoteLine[];
  /** Macs that could be ordered now. */
  available_now: number;
  sales_open: boolean;
}

/** Body of `POST /orders`. */
export interface OrderRequest extends QuoteRequest {
  /** `now` (the default) or an ISO time. */
  start?: string;
  setup?: { xcode?: string };
}

export type OrderStatus = 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';

/** A rental or extension order. Only a person who is signed in can consent and pay, at `pay_url`. */
export interface Order {
  order_no: string;
  status: OrderStatus;
  kind: 'rental' | 'extension';
  /** Valid until `pay_expires_at`. */
  pay_url: string;
  pay_expires_at: string;
  rental_ids: string[];
  /** Null for an extension of Macs of several tiers. */
  tier: string | null;
  hours: number;
  units: number;
  amount_won: number;
  supply_won: number;
  vat_won: number;
  /** When the rental is to begin: `now`, or an ISO time. */
  start: string;
  setup: { xcode: string | null };
  /** The Macs that an extension extends. */
  items: { rental_id: string; tier: string; amount_won: number }[];
  created_at: string;
  paid_at: string | null;
  receipt_url: string | null;
  /** When it was expired or canceled, and why. */
  ended_at: string | null;
  end_reason: 'expired' | 'canceled_by_person' | 'no_capacity' | 'refunded_by_operator' | null;
}

/** Query of `GET /orders`. */
export interface OrderFilter {
  status?: OrderStatus;
  /** `next_before` of the page before. */
  before?: string;
  /** 1 to 200. */
  limit?: number;
}

export interface OrderPage {
  orders: Order[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

/** `GET /rentals`: every Mac that has not ended, and the account's queue. */
export interface RentalList {
  rentals: RentedMac[];
  queue: AgentQueue;
}

export interface RentedMac extends AgentMac {
  current_build: Build | null;
  /** Waiting builds that only this Mac may run. */
  queued_builds: number;
}

export interface MacSetup {
  xcode: string | null;
  runtimes: string[];
  tools: string[];
}

/** `GET /rentals/{rental_id}`. */
export interface RentalDetail extends RentedMac {
  /** Null while the rental is reserved. */
  mac_state: Exclude<MacState, 'reserved'> | null;
  setup: MacSetup;
  /** What may be selected for this Mac. */
  setup_options: { xcode: string[]; runtimes: string[]; tools: string[] };
  /** Its last job. */
  op: Job | null;
}

/** What becomes of a build that runs on the Mac: it is waited for, or cancelled. */
export type When = 'after_build' | 'now';

/** Body of `PATCH /rentals/{rental_id}`; what is absent stays as it is. */
export interface SetupChange {
  xcode?: string;
  runtimes?: string[];
  tools?: string[];
  keep_cache?: boolean;
  when?: When;
}

/** What became of a change that was asked of one Mac. */
export interface OperationResult {
  rental_id: string;
  result: 'accepted' | 'rejected';
  /** The error code that the form for one Mac would answer; only when rejected. */
  reason?: string;
  message?: string;
  retry_after_s?: number | null;
  /** What the error would carry, such as `options`. */
  detail?: Record<string, unknown>;
  /** Only when a job was created. */
  job_id?: string;
  /** `unchanged`: the Mac is already as it was asked for. */
  status?: 'unchanged';
}

export interface OperationResults {
  results: OperationResult[];
}

/** Exactly one of the two. */
export type MacTarget = { all: true } | { ids: string[] };

export interface ExtensionQuote {
  rental_id: string;
  hours: number;
  amount_won: number;
  breakdown: QuoteLine[];
  ends_at: string;
  new_ends_at: string;
}

export interface MultiExtensionQuote {
  hours: number;
  /** Sum of the items that can be extended. */
  amount_won: number;
  items: ExtensionItem[];
}

export interface ExtensionItem {
  rental_id: string;
  tier?: string | null;
  ok: boolean;
  amount_won?: number;
  ends_at?: string;
  new_ends_at?: string;
  /** An error code; only when it cannot be extended. */
  reason?: string;
  message?: string;
}

export interface Waitlist {
  entries: WaitlistEntry[];
}
