// Language and theme of the console, chosen by the person and kept in cookies.
import type { IncomingHttpHeaders } from 'node:http';
import { cookieChoice, personLanguage } from '../../platform/http/person-language.js';

const themes = ['system', 'light', 'dark'] as const;

/** Returns the document with the attributes `lang` and `data-theme` of the root element. */
export function withPreferences(html: string, headers: IncomingHttpHeaders): string {
  const theme = cookieChoice(headers.cookie, 'cidermill_theme', themes) ?? 'system';
  return html.replace(
    '<html lang="en" data-theme="system">',
    `<html lang="${personLanguage(headers) ?? 'en'}" data-theme="${theme}">`,
  );
}
