// The language and the theme of the console, and whether it has shortcuts of a single key. The choices are kept in cookies,
// so that the service sets language and theme in the first byte of the page.
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { type Language, languages, preferredLanguage } from '../../../shared/language.js';
import { createFormat, type Format } from './format.js';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

interface Choices {
  readonly language: Language;
  readonly theme: Theme;
  readonly format: Format;
  /** Shortcuts of a single character work. */
  readonly singleKeys: boolean;
  setLanguage(language: Language): void;
  setTheme(theme: Theme): void;
  setSingleKeys(on: boolean): void;
}

const Context = createContext<Choices | null>(null);

const YEAR_S = 365 * 24 * 3_600;

function remember(name: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some supported browsers
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
}

/** Whether the language was chosen in this browser; otherwise it follows the browser's own. */
export const hasChosenLanguage = (): boolean => /(^|;\s*)cidermill_language=/.test(document.cookie);

const root = () => document.documentElement;

export function LanguageAndTheme({ children }: { children: ReactNode }) {
  const [language, keepLanguage] = useState<Language>(
    () => languages.find((each) => each === root().lang) ?? preferredLanguage(navigator.languages) ?? 'en',
  );
  const [theme, keepTheme] = useState<Theme>(() => themes.find((each) => each === root().dataset.theme) ?? 'system');
  const setLanguage = useCallback((next: Language) => {
    remember('cidermill_language', next);
    root().lang = next;
    keepLanguage(next);
  }, []);
  const setTheme = useCallback((next: Theme) => {
    remember('cidermill_theme', next);
    root().dataset.theme = next;
    keepTheme(next);
  }, []);
  const [singleKeys, keepSingleKeys] = useState(() => !/(^|;\s*)cidermill_single_keys=off/.test(document.cookie));
  const setSingleKeys = useCallback((on: boolean) => {
    remember('cidermill_single_keys', on ? 'on' : 'off');
    keepSingleKeys(on);
  }, []);
  const choices = useMemo(
    () => ({ language, theme, singleKeys, format: createFormat(language), setLanguage, setTheme, setSingleKeys }),
    [language, theme, singleKeys, setLanguage, setTheme, setSingleKeys],
  );
  return <Context value={choices}>{children}</Context>;
}

export function useChoices(): Choices {
  const choices = use(Context);
  if (!choices) throw new Error('LanguageAndTheme is missing');
  return choices;
}

export const useLanguage = (): Language => useChoices().language;
export const useFormat = (): Format => useChoices().format;
