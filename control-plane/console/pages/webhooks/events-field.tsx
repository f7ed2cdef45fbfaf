import type { WebhookEventType } from '../../../../client/types.js';
import { Checkbox, CheckboxGroup } from '../../design/choices.js';
import { EventName } from '../../design/event-name.js';
import { eventTypes } from '../../words/event-names.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** What a webhook gets unless somebody chooses. */
export const usualEvents: readonly WebhookEventType[] = eventTypes.slice(0, 5);

export interface EventsFieldProps {
  readonly value: readonly WebhookEventType[];
  onChange(value: readonly WebhookEventType[]): void;
}

export function EventsField({ value, onChange }: EventsFieldProps) {
  const w = useWords(words);
  const change = (event: WebhookEventType, chosen: boolean) =>
    onChange(eventTypes.filter((each) => (each === event ? chosen : value.includes(each))));
  return (
    <CheckboxGroup name="events" label={w.events}>
      {eventTypes.map((event) => (
        <Checkbox
          key={event}
          label={<EventName type={event} />}
          checked={value.includes(event)}
          onChange={(chosen) => change(event, chosen)}
        />
      ))}
    </CheckboxGroup>
  );
}
