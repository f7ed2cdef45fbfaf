// A webhook: an address of the account to which events of its builds are sent.

import { type EventType, eventTypes } from '../../builds/domain/event.js';
import { checkStrings, int, json, type RecordOf, text } from '../../platform/domain/fields.js';

export const webhookStatuses = ['enabled', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** `gone`: a delivery was answered 410. */
export const disabledReasons = ['test_failed', 'gone', 'by_request'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** How the last test POST was answered. */
export interface WebhookTest {
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly error: string | null;
}

export const webhookFields = {
  webhookId: text(),
  accountId: int(),
  url: text(),
  events: json((value) => subscription(listed(value))),
  status: text<WebhookStatus>(),
  /** Null while enabled. */
  disabledReason: text<DisabledReason>().orNull,
  test: json<WebhookTest>(),
  /** Ms since the epoch. */
  createdAt: int(),
};
export type Webhook = RecordOf<typeof webhookFields>;

/** What a webhook gets that lists no events: how builds end, and that they do not get on. */
export const defaultEvents: readonly EventType[] = [
  'build.succeeded',
  'build.failed',
  'build.cancelled',
  'build.expired',
  'build.stalled',
];

/** What a build's notify_url gets. */
export const notifyEvents: ReadonlySet<EventType> = new Set(defaultEvents);

function listed(value: unknown): readonly EventType[] {
  const names = new Set(checkStrings(value));
  return eventTypes.filter((type) => names.has(type));
}

/** In the order of the catalogue, each once. */
export function subscription(events: readonly EventType[] | undefined): readonly EventType[] {
  const wanted = new Set(events ?? defaultEvents);
  return eventTypes.filter((type) => wanted.has(type));
}
