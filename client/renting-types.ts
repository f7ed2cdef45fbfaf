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
  /** When the rental is to begin; null or `now` for at once. */
  start: string | null;
  setup: { xcode: string | null } | null;
  /** The Macs that an extension extends. */
  items: { rental_id: string; tier: string | null; amount_won: number }[];
  created_at: string;
  paid_at: string | null;
  receipt_url: string | null;
}

/** `GET /rentals`: every Mac that has not ended, and the account's queue. */
export interface RentalList {
  rentals: RentedMac[];
  queue: AgentQueue;
}

export interface RentedMac extends AgentMac {
  current_build: Build | null;
  queued_builds: Build[] | number;
}

export interface MacSetup {
  xcode: string | null;
  runtimes: string[];
  tools: string[];
}

/** `GET /rentals/{rental_id}`. */
export interface RentalDetail extends AgentMac {
  /** Null while the rental is reserved. */
  mac_state: Exclude<MacState, 'reserved'> | null;
  setup: MacSetup;
  /** What may be selected for this Mac. */
  setup_options: { xcode: string[]; runtimes: string[]; tools: string[] };
  /** Its last job. */
  op: Job | null;
  current_build: Build | null;
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
  /** An error code; only when rejected. */
  reason?: string;
  /** Only when a job was created. */
  job_id?: string;
  /** `unchanged`: the Mac is already as it was asked for. */
  status?: string;
  detail?: { options?: string[] };
}

export interface OperationResults {
  results: OperationResult[];
}

/** Exactly one of the two. */
export type MacTarget = { all: true } | { ids: string[] };

export interface ExtensionQuote {
  amount_won: number;
  breakdown: QuoteLine[];
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
