// Defines a CIDERMILL_* variable, and parsers for common types of values.

export interface Setting<T> {
  readonly variable: string;
  /** Default value, in the variable's text format. */
  readonly fallback: string;
  readonly meaning: string;
  /** Throws an Error whose message describes the expected value. */
  parse(text: string): T;
}

export const setting = <T>(
  variable: string,
  fallback: string,
  meaning: string,
  parse: (text: string) => T,
): Setting<T> => ({ variable, fallback, meaning, parse });

export type Environment = Readonly<Record<string, string | undefined>>;

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty');
  return text.trim();
}

export function wholeNumber(text: string, least: number, most: number): number {
  const n = Number(text);
  if (!/^\d{1,16}$/.test(text) || n < least || n > most) {
    throw new Error(`expected a whole number from ${least} to ${most}, got "${text}"`);
  }
  return n;
}

export function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error(`expected an http or https address, got "${text}"`);
  }
  return text;
}

/** Whether a host of an address is this machine, to which plain http is safe. */
export const isThisMachine = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

export function httpsOrigin(text: string): string {
  const origin = httpOrigin(text);
  if (!origin.startsWith('https:')) throw new Error(`expected an https address, got "${text}"`);
  return origin;
}

export function httpOrigin(text: string): string {
  const url = new URL(httpUrl(text));
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error(`expected an address without path, query and user, got "${text}"`);
  }
  return url.origin;
}
