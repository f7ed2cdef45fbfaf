// The language of the person who sends a request.
import type { IncomingHttpHeaders } from 'node:http';
import { type Language, languages, preferredLanguage } from '../../../shared/language.js';

/**
 * Returns the value of a cookie if it is allowed.
 *
 * @example cookieChoice('cidermill_theme=dark', 'cidermill_theme', ['light', 'dark']) // 'dark'
 */
export const cookieChoice = <T extends string>(
  cookies: string | undefined,
  name: string,
  allowed: readonly T[],
): T | undefined => allowed.find((value) => new RegExp(`(?:^|;\\s*)${name}=${value}\\s*(?:;|$)`).test(cookies ?? ''));

/** Returns the language chosen in the console, else the one that the browser asks for; undefined: neither is known. */
export function personLanguage(headers: Pick<IncomingHttpHeaders, 'cookie' | 'accept-language'>): Language | undefined {
  const wanted = (headers['accept-language'] ?? '').split(',').map((part) => part.split(';')[0]?.trim() ?? '');
  return cookieChoice(headers.cookie, 'cidermill_language', languages) ?? preferredLanguage(wanted);
}
