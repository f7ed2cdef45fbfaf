// Spans of time in a sentence.
import type { Language } from './language.js';

const units: Readonly<Record<Language, { s: string; m: string; h: string; d: string }>> = {
  en: { s: 's', m: 'm', h: 'h', d: 'd' },
  ko: { s: '초', m: '분', h: '시간', d: '일' },
};

/**
 * Returns a span of time in its largest unit.
 *
 * @example spanText(3 * 3_600_000) // '3h'
 */
export function spanText(ms: number, language: Language = 'en'): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const { s, m, h, d } = units[language];
  if (seconds < 60) return `${seconds}${s}`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${m}`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}${h}`;
  return `${Math.floor(seconds / 86_400)}${d}`;
}
