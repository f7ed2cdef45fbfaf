// A webhook: an address of the account to which its events are sent.

import type { Message } from '../../../shared/messages/message.js';
import { checkStrings, int, json, type RecordOf, text } from '../../platform/domain/fields.js';
import { messageOf } from '../../platform/domain/stored-message.js';
import { type EventType, eventTypes } from './event.js';

export const webhookStatuses = ['enabled', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** `gone`: a delivery was answered 410. */
export const disabledReasons = ['test_failed', 'gone', 'by_request'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Result of the last test POST. */
export interface WebhookTest {
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly error: Message | null;
}

/** Tests that older versions stored have the text of the error only. */
function readTest(value: unknown): WebhookTest {
  const test = value as WebhookTest & { readonly error: Message | string | null };
  return { ...test, error: test.error === null ? null : messageOf(test.error) };
}

export const webhookFields = {
  webhookId: text(),
  accountId: int(),
  url: text(),
  events: json((value) => subscription(listed(value))),
  status: text<WebhookStatus>(),
  /** Null while enabled. */
  disabledReason: text<DisabledReason>().orNull,
  test: json(readTest),
  /** Ms since the epoch. */
  createdAt: int(),
};
export type Webhook = RecordOf<typeof webhookFields>;

/** Default subscription: builds that end or stall. */
export const defaultEvents: readonly EventType[] = [
  'build.succeeded',
  'build.failed',
  'build.cancelled',
  'build.expired',
  'build.stalled',
];

/** Events that are sent to a build's notify_url. */
export const notifyEvents: ReadonlySet<EventType> = new Set(defaultEvents);

function listed(value: unknown): readonly EventType[] {
  const names = new Set(checkStrings(value));
  return eventTypes.filter((type) => names.has(type));
}

/** Returns the event types in catalog order, without duplicates. */
export function subscription(events: readonly EventType[] | undefined): readonly EventType[] {
  const wanted = new Set(events ?? defaultEvents);
  return eventTypes.filter((type) => wanted.has(type));
}
