// Dates, numbers, money, durations and sizes, as a language writes them.
import type { Language } from '../../../shared/language.js';

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', ko: 'ko-KR' };

const units = {
  en: { d: 'd', h: 'h', min: 'min', s: 's', now: 'now', bytes: 'bytes' },
  ko: { d: '일', h: '시간', min: '분', s: '초', now: '방금', bytes: '바이트' },
} as const;

const SIZES = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

const lengths = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The largest unit of which it is a multiple; 24 hours are a day. */
function wholeUnits(ms: number): readonly [number, 'day' | 'hour' | 'minute' | 'second'] {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const found = lengths.find(([, length]) => seconds >= length && seconds % length === 0);
  return found ? [seconds / found[1], found[0]] : [seconds, 'second'];
}

/**
 * To ten seconds below a minute, to minutes below an hour, to ten minutes below ten hours, else to hours; never zero.
 */
function rounded(ms: number): number {
  const minutes = ms / 60_000;
  const step = minutes < 0.92 ? 10_000 : minutes < 59.5 ? 60_000 : minutes < 595 ? 600_000 : 3_600_000;
  return Math.max(1, Math.round(ms / step)) * step;
}

export type Format = ReturnType<typeof createFormat>;

/** Times are ISO text or ms since the epoch. */
export type Moment = string | number;

export function createFormat(language: Language) {
  const locale = locales[language];
  const unit = units[language];
  const gap = language === 'ko' ? '' : ' ';
  const dateTime = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  const exact = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const number = new Intl.NumberFormat(locale);
  const won = new Intl.NumberFormat(locale, { style: 'currency', currency: 'KRW' });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const dollars = (digits: number) =>
    new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: digits });
  const usd = dollars(2);
  const exactUsd = dollars(6);
  const piece = (value: number, name: 'd' | 'h' | 'min' | 's') => `${value}${gap}${unit[name]}`;

  return {
    date: (at: Moment) => date.format(new Date(at)),
    dateTime: (at: Moment) => dateTime.format(new Date(at)),
    /** @example '2 Mar' */
    day: (at: Moment) => day.format(new Date(at)),
    /** With seconds. */
    exact: (at: Moment) => exact.format(new Date(at)),
    /** @example '09:05' */
    clock: (at: Moment) => clock.format(new Date(at)),
    /** @example '2026-03-01 09:00:00 UTC' */
    utc: (at: Moment) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    number: (value: number) => number.format(value),
    percent: (share: number) => percent.format(share),
    list: (items: readonly string[]) => list.format(items),
    /** @example won(20000) // '₩20,000' */
    won: (value: number) => won.format(value),
    usd: (value: number) => usd.format(value),
    /** Millionths of a dollar. */
    microUsd: (value: number) => exactUsd.format(value / 1_000_000),

    /** @example relative(now - 90_000, now) // '2 min ago' */
    relative(at: Moment, now: number): string {
      const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
      const size = Math.abs(seconds);
      if (size < 5) return unit.now;
      if (size < 60) return ago.format(seconds, 'second');
      if (size < 3_600) return ago.format(Math.round(seconds / 60), 'minute');
      if (size < 86_400) return ago.format(Math.round(seconds / 3_600), 'hour');
      return ago.format(Math.round(seconds / 86_400), 'day');
    },

    /** @example duration(3_723_000) // '1 h 2 min' */
    duration,

    /** What is left of a time, never more than that. @example left(86_399_600) // '23 h 59 min' */
    left: (ms: number) => duration(Math.floor(ms / 1_000) * 1_000),

    /** As precise as an estimate is. @example about(3_598_000) // '1 h' */
    about: (ms: number) => duration(rounded(ms)),

    /** Of something that is over. @example lasted(300) // '< 1 s' */
    lasted: (ms: number) => (ms < 950 ? `< ${duration(1_000)}` : duration(ms)),

    /** A setting, in words. @example span(7 * 86_400_000) // '7 days' */
    span(ms: number): string {
      const [value, unit] = wholeUnits(ms);
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
    },

    /** Never more than is left. @example countdown(65_000) // '1:05' */
    countdown(ms: number): string {
      const s = Math.max(0, Math.floor(ms / 1_000));
      const rest = `${String(Math.floor(s / 60) % 60).padStart(s < 3_600 ? 1 : 2, '0')}:${String(s % 60).padStart(2, '0')}`;
      return s < 3_600 ? rest : `${Math.floor(s / 3_600)}:${rest}`;
    },

    /** @example bytes(1536) // '1.5 KiB' */
    bytes(value: number): string {
      if (value < 1_024) return `${number.format(value)} ${unit.bytes}`;
      const size = Math.min(Math.floor(Math.log2(value) / 10), SIZES.length);
      return `${(value / 1_024 ** size).toFixed(1)} ${SIZES[size - 1]}`;
    },
  };

  function duration(ms: number): string {
    const s = Math.max(0, Math.round(ms / 1_000));
    if (s < 60) return piece(s, 's');
    const min = Math.floor(s / 60);
    if (min < 60) return join(piece(min, 'min'), s % 60, 's');
    const h = Math.floor(min / 60);
    if (h < 24) return join(piece(h, 'h'), min % 60, 'min');
    return join(piece(Math.floor(h / 24), 'd'), h % 24, 'h');
  }

  function join(text: string, rest: number, name: 'h' | 'min' | 's'): string {
    return rest === 0 ? text : `${text} ${piece(rest, name)}`;
  }
}
