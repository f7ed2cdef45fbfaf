// A message for people: a code from a table, named values, and the English sentence made of both. Programs and people
// that speak another language read code and params; the text serves those that do not know the code.
//
// A table of a subject is beside this file. It has the sentences of each code in every language, which the compiler
// compares: a code without a sentence in one of the languages, or a sentence with a value that its code has not, does
// not compile.
import type { Language } from '../language.js';

export type Param = string | number;
export type Params = Readonly<Record<string, Param>>;

export interface Message {
  /** Null: only the text is known, e.g. what a tool printed, or what an older version wrote. */
  readonly code: string | null;
  readonly params: Params;
  /** In English. */
  readonly text: string;
}

/** Words: one of these. */
type Kind = 'text' | 'number' | readonly string[];
type Kinds = Readonly<Record<string, Kind>>;
type ValueOf<K extends Kind> = K extends 'text'
  ? string
  : K extends 'number'
    ? number
    : Extract<K, readonly string[]>[number];
type ValuesOf<K extends Kinds> = { readonly [Name in keyof K]: ValueOf<K[Name]> };

export interface Sentence<K extends Kinds> {
  readonly kinds: K;
  readonly said: Readonly<Record<Language, (params: ValuesOf<K>) => string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds sentences with any params
export type Table = Readonly<Record<string, Sentence<any>>>;
type ParamsOf<S> = S extends Sentence<infer K> ? ValuesOf<K> : never;

/** A sentence with values. */
export const sentence = <const K extends Kinds>(
  kinds: K,
  said: Readonly<Record<Language, (params: ValuesOf<K>) => string>>,
): Sentence<K> => ({ kinds, said });

/** A sentence without values. */
export const plain = (said: Readonly<Record<Language, string>>): Sentence<Record<never, never>> => ({
  kinds: {},
  said: { en: () => said.en, ko: () => said.ko },
});

/** The values that a code takes, if any. */
export type ArgumentsOf<T extends Table, C extends keyof T> = keyof ParamsOf<T[C]> extends never
  ? []
  : [params: ParamsOf<T[C]>];

/**
 * Returns a message.
 *
 * @example message(deliveryErrors, 'answered', { status: 502 }) // { code: 'answered', …, text: 'answered 502' }
 */
export function message<T extends Table, C extends keyof T & string>(
  table: T,
  code: C,
  ...[params]: ArgumentsOf<T, C>
): Message {
  const values: Params = params ?? {};
  return { code, params: values, text: (table[code] as Table[string]).said.en(values) };
}

/** Returns a message that has no code. */
export const uncoded = (text: string): Message => ({ code: null, params: {}, text });

/** Returns the sentence in the language; the text when the code is not known here, or has other values here. */
export const say = (table: Table, language: Language, message: Message): string =>
  sentenceOf(table, language, message) ?? message.text;

/** Returns the sentence in the language, or null. */
export function sentenceOf(
  table: Table,
  language: Language,
  { code, params }: Pick<Message, 'code' | 'params'>,
): string | null {
  if (code === null || !Object.hasOwn(table, code)) return null;
  const { kinds, said } = table[code] as Table[string];
  const isSound = Object.entries<Kind>(kinds).every(
    ([name, kind]) => Object.hasOwn(params, name) && fits(params[name], kind),
  );
  return isSound ? said[language](params) : null;
}

const fits = (value: Param | undefined, kind: Kind): boolean =>
  typeof kind === 'string'
    ? typeof value === (kind === 'text' ? 'string' : 'number')
    : typeof value === 'string' && kind.includes(value);

/** Returns the message with its texts changed, e.g. without secrets; the sentence is made anew. */
export function withTexts(table: Table, message: Message, change: (text: string) => string): Message {
  const params = Object.fromEntries(
    Object.entries(message.params).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value]),
  );
  const changed = { code: message.code, params };
  return { ...changed, text: change(sentenceOf(table, 'en', changed) ?? message.text) };
}
