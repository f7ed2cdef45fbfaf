import { useEventName } from '../words/event-names.js';

/** What happened, with the code that programs get. */
export function EventName({ type }: { type: string }) {
  const name = useEventName()(type);
  return name === type ? (
    <code>{type}</code>
  ) : (
    <>
      {name} <code>{type}</code>
    </>
  );
}
