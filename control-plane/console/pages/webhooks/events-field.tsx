import { useId } from 'react';
import type { BuildEventType } from '../../../../client/types.js';
import { Checkbox } from '../../design/choices.js';
import { Stack } from '../../design/page.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const every: readonly BuildEventType[] = [
  ...(['build.succeeded', 'build.failed', 'build.cancelled', 'build.expired', 'build.stalled'] as const),
  ...(['build.queued', 'build.started', 'build.completed'] as const),
];

/** What a webhook gets unless somebody chooses. */
export const usualEvents: readonly BuildEventType[] = every.slice(0, 5);

export interface EventsFieldProps {
  readonly value: readonly BuildEventType[];
  onChange(value: readonly BuildEventType[]): void;
}

export function EventsField({ value, onChange }: EventsFieldProps) {
  const w = useWords(words);
  const id = useId();
  const change = (event: BuildEventType, chosen: boolean) =>
    onChange(every.filter((each) => (each === event ? chosen : value.includes(each))));
  return (
    <fieldset aria-labelledby={id}>
      <Stack>
        <strong id={id}>{w.events}</strong>
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
        {value.length === 0 ? <p role="alert">{w.noEvents}</p> : null}
      </Stack>
    </fieldset>
  );
}
