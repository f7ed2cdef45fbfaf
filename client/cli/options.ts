// Options as data, and readers for their values.
import { PROJECT_NAME } from '../upload/project-name.js';

/** Parses a value; null if it is invalid. */
export interface ValueReader<T> {
  read(text: string): T | null;
  /** Says which values are valid. */
  hint: string;
}

/** A whole number from `min` to `max` (default: no upper bound, the service has its own). */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): ValueReader<number> {
  const unbounded = max === Number.MAX_SAFE_INTEGER;
  return {
    hint: unbounded ? `Give a whole number, at least ${min}.` : `Give a whole number from ${min} to ${max}.`,
    read(text) {
      const number = Number(text);
      return /^\d+$/.test(text) && number >= min && number <= max ? number : null;
    },
  };
}

export const priority: ValueReader<0 | 1> = {
  hint: 'Give 0, or 1 to go before others.',
  read: (text) => (text === '0' ? 0 : text === '1' ? 1 : null),
};

export const projectName: ValueReader<string> = {
  hint: "Give 1 to 64 letters, digits, '_', '.' or '-'.",
  read: (text) => (PROJECT_NAME.test(text) ? text : null),
};

/** @example labels.read('rack=3,xcode-beta=yes') // { rack: '3', 'xcode-beta': 'yes' } */
export const labels: ValueReader<Record<string, string>> = {
  hint: 'Give KEY=VALUE, several separated by commas.',
  read(text) {
    const pairs = text.split(',').map((pair) => /^([^=]+)=([^=]+)$/.exec(pair));
    if (pairs.some((pair) => pair === null)) return null;
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  },
};

/** Options of every command. */
export interface GlobalOptions {
  url?: string;
  key?: string;
  json?: boolean;
}

/** One option: its long name without dashes, its value, its help text. */
export interface OptionSpec {
  name: string;
  /** Placeholder of its value; none for a switch. */
  value?: string;
  description: string;
  reader?: ValueReader<unknown>;
}

export const globalOptions: readonly OptionSpec[] = [
  {
    name: 'url',
    value: 'address',
    description: "the service's base_url (default: CIDERMILL_URL, else the address stored by login)",
  },
  {
    name: 'key',
    value: 'key',
    description: 'API key (default: CIDERMILL_API_KEY, else the key stored by login)',
  },
  { name: 'json', description: 'print one JSON document on standard output' },
];
