// Language and theme of the console, chosen by the person and kept in cookies.
import type { IncomingHttpHeaders } from 'node:http';
import { languages, preferredLanguage } from '../../console/words/words.js';

const themes = ['system', 'light', 'dark'] as const;

/** Returns the document with the attributes `lang` and `data-theme` of the root element. */
export function withPreferences(html: string, headers: IncomingHttpHeaders): string {
  const cookies = headers.cookie ?? '';
  const theme = chosen(cookies, 'cidermill_theme', themes) ?? 'system';
  const language =
    chosen(cookies, 'cidermill_language', languages) ??
    preferredLanguage(
      (headers['accept-language'] ?? '').split(',').map((part) => part.split(';')[0]?.trim() ?? ''),
    );
  return html.replace(
    '<html lang="en" data-theme="system">',
    `<html lang="${language}" data-theme="${theme}">`,
  );
}

const chosen = <T extends string>(cookies: string, name: string, allowed: readonly T[]): T | undefined =>
  allowed.find((value) => new RegExp(`(?:^|;\\s*)${name}=${value}\\s*(?:;|$)`).test(cookies));
