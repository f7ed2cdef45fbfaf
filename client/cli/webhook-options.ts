// Arguments and options that several of the webhook commands take.
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { WebhookEventType } from '../types.js';

/** Checked here, so that names can be abbreviated and unknown ones are reported at once. */
const EVENTS = Object.keys({
  'build.succeeded': true,
  'build.failed': true,
  'build.cancelled': true,
  'build.expired': true,
  'build.stalled': true,
  'build.queued': true,
  'build.started': true,
  'build.completed': true,
  'rental.started': true,
  'rental.unavailable': true,
  'rental.available': true,
  'rental.ends_soon': true,
  'rental.ended': true,
  'rental.extended': true,
  'order.paid': true,
  'order.expired': true,
  'order.refunded': true,
  'waitlist.available': true,
} satisfies Record<WebhookEventType, true>);

export const webhookArgument = () => new Argument('<webhook>', 'webhook (wh_…)');

/** `--events failed,build.stalled`: with or without `build.` before. */
export const eventsOption = (about: string) =>
  new Option('--events <events>', `${about}; names with commas between them, such as failed,stalled`).argParser(
    (text) => text.split(',').map(eventOf),
  );

function eventOf(text: string): string {
  const name = text.trim();
  const found = EVENTS.find((event) => event === name || event === `build.${name}`);
  if (found) return found;
  const names = EVENTS.map((event) => event.replace(/^build\./, '')).join(', ');
  throw new InvalidArgumentError(`Give names of ${names}.`);
}
