// Times, money and sizes as elements.

import type { Moment } from '../words/format.js';
import { useFormat } from '../words/language.js';
import { useNow } from '../words/use-now.js';

/** A time in the person's time zone; the tooltip has it in UTC. `exact`: with seconds. */
export function Time({ at, exact = false }: { at: Moment; exact?: boolean }) {
  const format = useFormat();
  return (
    <time dateTime={new Date(at).toISOString()} title={format.utc(at)}>
      {exact ? format.exact(at) : format.dateTime(at)}
    </time>
  );
}

/** "2 min ago", kept up to date. The tooltip has the time itself. */
export function RelativeTime({ at }: { at: Moment }) {
  const format = useFormat();
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={`${format.dateTime(at)} · ${format.utc(at)}`}>
      {format.relative(at, now)}
    </time>
  );
}

/** How long until a time, kept up to date. */
export function TimeLeft({ until }: { until: Moment }) {
  const format = useFormat();
  const now = useNow();
  return (
    <time dateTime={new Date(until).toISOString()} title={`${format.dateTime(until)} · ${format.utc(until)}`}>
      {format.left(new Date(until).getTime() - now)}
    </time>
  );
}

/** How long somebody has to pay, kept up to date. @example <Countdown until={order.pay_expires_at} /> // 29:59 */
export function Countdown({ until }: { until: Moment }) {
  const format = useFormat();
  const now = useNow();
  return <time dateTime={new Date(until).toISOString()}>{format.countdown(new Date(until).getTime() - now)}</time>;
}

/** How long something has taken, or takes until now. */
export function Duration({ from, to }: { from: Moment; to: Moment | null }) {
  const format = useFormat();
  const now = useNow();
  const begun = new Date(from).getTime();
  return <>{to === null ? format.duration(now - begun) : format.lasted(new Date(to).getTime() - begun)}</>;
}

/** Won, or millionths of a dollar. */
export function Money(props: { won: number } | { microUsd: number }) {
  const format = useFormat();
  return (
    <data value={'won' in props ? props.won : props.microUsd}>
      {'won' in props ? format.won(props.won) : format.microUsd(props.microUsd)}
    </data>
  );
}

export const Bytes = ({ value }: { value: number }) => {
  const format = useFormat();
  return <data value={value}>{format.bytes(value)}</data>;
};
