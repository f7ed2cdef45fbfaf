// The shapes of webhooks: their registration, their deliveries, and the events that receivers get.
import type { BuildStatus } from './types.js';

export type BuildEventType =
  | 'build.succeeded'
  | 'build.failed'
  | 'build.cancelled'
  | 'build.expired'
  | 'build.stalled'
  | 'build.queued'
  | 'build.started'
  | 'build.completed';

export interface Webhook {
  id: string;
  url: string;
  events: BuildEventType[];
  status: 'enabled' | 'disabled';
  disabled_reason: 'test_failed' | 'gone' | 'by_request' | null;
  created_at: string;
  /** How the last test was answered. */
  test: { ok: boolean; http_status: number | null; error: string | null };
}

/** At registration and rotation; the secret is shown this once. */
export interface RevealedWebhook extends Webhook {
  secret: string;
}

export interface WebhookRequest {
  /** A public https address. */
  url: string;
  /** Default: how builds end, and that they stall. */
  events?: BuildEventType[];
}

export interface WebhookChanges extends Partial<WebhookRequest> {
  status?: 'enabled' | 'disabled';
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface WebhookExchange {
  headers: Record<string, string>;
  body: string;
}

export interface WebhookDelivery {
  id: string;
  event_id: string;
  event_type: string;
  /** How many attempts there were. */
  attempt: number;
  status: DeliveryStatus;
  http_status: number | null;
  error: string | null;
  /** Of the last attempt. */
  request: WebhookExchange | null;
  /** Of the last attempt; the first 4 KiB of the body. */
  response: WebhookExchange | null;
  created_at: string;
  delivered_at: string | null;
  next_attempt_at: string | null;
}

export interface WebhookDeliveryPage {
  deliveries: WebhookDelivery[];
  next_before: string | null;
}

/** What a receiver gets. One event has one `event_id`, however often it is delivered. */
export interface WebhookEvent {
  schema_version: 1;
  event_id: string;
  event_type: BuildEventType | 'webhook.test';
  /** Counts the events of one build from 1; 0 for a test. */
  sequence: number;
  occurred_at: string;
  /** Null for a test. */
  build: WebhookBuild | null;
  stall: {
    reason: 'queued_too_long' | 'no_log_output';
    threshold_s: number;
    since: string;
    last_output_at: string | null;
  } | null;
}

export interface WebhookBuild {
  id: string;
  status: BuildStatus;
  exit_code: number | null;
  end_reason: string | null;
  repo: string | null;
  commit: string | null;
  pr: number | null;
  xcode: string | null;
  rental_id: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  queue_s: number;
  run_s: number | null;
  duration_s: number;
  wait_reason: string | null;
  failure: { code: string; fault: 'customer' | 'platform' | 'unknown'; summary: string } | null;
  log_url: string;
  console_url: string;
}
