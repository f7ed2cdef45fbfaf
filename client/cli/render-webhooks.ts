// Renders webhooks and deliveries for people.
import type { Webhook, WebhookDelivery } from '../types.js';
import { formatTable, formatTime } from './format.js';
import { deliveryError } from './said.js';
import { printable } from './terminal.js';

const shortName = (event: string) => printable(event.replace(/^build\./, ''));

/** How the last test went: `the test was answered 204`. */
export function testText({ test }: Webhook): string {
  if (test.ok) return `the test was answered ${test.http_status}`;
  const why =
    deliveryError(test) ?? (test.http_status === null ? 'there was no answer' : `answered ${test.http_status}`);
  return `the test failed: ${printable(why)}`;
}

export function webhookText(webhook: Webhook): string {
  const { id, status, disabled_reason, url } = webhook;
  const why = disabled_reason === null ? '' : ` (${disabled_reason.replaceAll('_', ' ')})`;
  return `${id} ${status}${why}: ${printable(url)}\n  ${testText(webhook)}\n`;
}

export function webhooksTable(webhooks: readonly Webhook[]): string {
  const rows = webhooks.map((webhook) => [
    webhook.id,
    webhook.status,
    webhook.disabled_reason === null ? '' : webhook.disabled_reason.replaceAll('_', ' '),
    printable(webhook.url),
    webhook.events.map(shortName).join(','),
  ]);
  return formatTable(['WEBHOOK', 'STATUS', 'WHY', 'ADDRESS', 'EVENTS'], rows);
}

export function deliveriesTable(deliveries: readonly WebhookDelivery[]): string {
  const rows = deliveries.map((delivery) => [
    delivery.id,
    shortName(delivery.event_type),
    delivery.status,
    String(delivery.attempt),
    delivery.http_status === null ? '-' : String(delivery.http_status),
    formatTime(delivery.created_at),
    delivery.next_attempt_at === null ? '' : formatTime(delivery.next_attempt_at),
    printable(deliveryError(delivery) ?? ''),
  ]);
  return formatTable(['DELIVERY', 'EVENT', 'STATUS', 'ATTEMPTS', 'ANSWER', 'CREATED', 'AGAIN AT', 'ERROR'], rows);
}
