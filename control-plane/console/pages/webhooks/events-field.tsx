import type { WebhookEventType } from '../../../../client/types.js';
import { Checkbox, CheckboxGroup } from '../../design/choices.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const every: readonly WebhookEventType[] = [
  ...(['build.succeeded', 'build.failed', 'build.cancelled', 'build.expired', 'build.stalled'] as const),
  ...(['build.queued', 'build.started', 'build.completed'] as const),
  ...(['rental.started', 'rental.ends_soon', 'rental.ended', 'rental.extended'] as const),
  ...(['order.paid', 'order.expired', 'order.refunded', 'waitlist.available'] as const),
];

/** What a webhook gets unless somebody chooses. */
export const usualEvents: readonly WebhookEventType[] = every.slice(0, 5);

export interface EventsFieldProps {
  readonly value: readonly WebhookEventType[];
  onChange(value: readonly WebhookEventType[]): void;
}

export function EventsField({ value, onChange }: EventsFieldProps) {
  const w = useWords(words);
  const change = (event: WebhookEventType, chosen: boolean) =>
    onChange(every.filter((each) => (each === event ? chosen : value.includes(each))));
  return (
    <CheckboxGroup name="events" label={w.events}>
      {every.map((event) => (
        <Checkbox
          key={event}
          label={
            <>
              {w.event[event]} <code>{event}</code>
            </>
          }
          checked={value.includes(event)}
          onChange={(chosen) => change(event, chosen)}
        />
      ))}
    </CheckboxGroup>
  );
}
