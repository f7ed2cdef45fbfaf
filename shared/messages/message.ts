// A message for people: a code from a table, named values, and the English sentence made from both. Programs, and
// people who read another language, use the code and the values; the text is for readers that do not know the code.
//
// Each subject has a table in this folder, with a sentence per code and language. A code without a sentence in one of
// the languages does not compile, nor does a sentence with a value that the English sentence does not have.
import type { Language } from '../language.js';

export type Param = string | number;
export type Params = Readonly<Record<string, Param>>;

export interface Message {
  /** Null: only the text is known, e.g. the output of a tool, or a message of an older version. */
  readonly code: string | null;
  readonly params: Params;
  /** In English. */
  readonly text: string;
}

/** Words: one of these. */
type Kind = 'text' | 'number' | readonly string[];
type Kinds = Readonly<Record<string, Kind>>;
type ValueOf<K extends Kind> = K extends readonly string[] ? K[number] : K extends 'text' ? string : number;

/** What a code says in each language. */
export interface Sentence<P extends Params> {
  readonly kinds: Kinds;
  readonly said: Readonly<Record<Language, (params: P) => string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds sentences with any params
type AnySentence = Sentence<any>;
export type Table = Readonly<Record<string, AnySentence>>;

/** A sentence that is more than its values in a text: plurals, or words for a value. */
export const sentence = <const K extends Kinds>(
  kinds: K,
  said: Sentence<{ readonly [Name in keyof K]: ValueOf<K[Name]> }>['said'],
): Sentence<{ readonly [Name in keyof K]: ValueOf<K[Name]> }> => ({ kinds, said });

/** A text in each language. `{reason}` stands for a text, `{seconds, number}` in the English one for a number. */
type Templates = Readonly<Record<Language, string>>;
type Slots<T extends string> = T extends `${string}{${infer Slot}}${infer Rest}` ? Slot | Slots<Rest> : never;
type NameIn<Slot> = Slot extends `${infer Name}, number` ? Name : Slot;
type ParamsIn<T extends string> = {
  readonly [Slot in Slots<T> as NameIn<Slot> & string]: Slot extends `${string}, number` ? number : string;
};
type SentenceOf<R> = R extends Templates ? Sentence<ParamsIn<R['en']>> : R;
/** The templates of the languages, whose values may only be those of the English one. */
type Checked<R> = R extends Templates
  ? { readonly [L in Language]: Slots<R[L]> extends NameIn<Slots<R['en']>> | Slots<R['en']> ? R[L] : never }
  : R;

/**
 * Returns a table of sentences.
 *
 * @example sentences({ away: { en: 'not connected for {minutes, number} min', ko: '{minutes}분 동안 연결되지 않았습니다' } })
 */
export function sentences<const T extends Readonly<Record<string, Templates | AnySentence>>>(
  rows: T & { readonly [C in keyof T]: Checked<T[C]> },
): { readonly [C in keyof T]: SentenceOf<T[C]> } {
  const all = Object.entries<Templates | AnySentence>(rows);
  return Object.fromEntries(all.map(([code, row]) => [code, 'said' in row ? row : filled(row)])) as never;
}

const SLOT = /\{(\w+)(, number)?\}/g;

function filled(templates: Templates): AnySentence {
  const kinds = [...templates.en.matchAll(SLOT)].map(([, name, number]) => [name, number ? 'number' : 'text']);
  const fill = (language: Language) => (params: Params) =>
    templates[language].replace(SLOT, (_, name: string) => String(params[name]));
  return { kinds: Object.fromEntries(kinds), said: { en: fill('en'), ko: fill('ko') } };
}

/** The values of a sentence. */
export type ParamsOf<S> = S extends Sentence<infer P> ? P : never;

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

/** Returns a function that makes the messages of a table. */
export const messagesOf =
  <T extends Table>(table: T) =>
  <C extends keyof T & string>(code: C, ...params: ArgumentsOf<T, C>): Message =>
    message(table, code, ...params);

/** Returns a message that has no code. */
export const uncoded = (text: string): Message => ({ code: null, params: {}, text });

/** Returns the sentence in the language; the text if this version does not know the code, or the values do not fit. */
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

/** Returns the message with its texts changed, e.g. without secrets, and a new sentence made of them. */
export function withTexts(table: Table, message: Message, change: (text: string) => string): Message {
  const params = Object.fromEntries(
    Object.entries(message.params).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value]),
  );
  const changed = { code: message.code, params };
  return { ...changed, text: change(sentenceOf(table, 'en', changed) ?? message.text) };
}
