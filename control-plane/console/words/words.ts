// Texts in two languages. The compiler refuses a text that one of them lacks.

/** A text, or a function that returns one, or a group of them. */
export type Text =
  | string
  | readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: `Same` compares the parameters
  | ((...values: any[]) => string)
  | { readonly [key: string]: Text };
export type Texts = Readonly<Record<string, Text>>;

/** `export const words = { en: { … }, ko: { … } } satisfies Words` */
export interface Words {
  readonly en: Texts;
  readonly ko: Texts;
}

/** The same keys and parameters, with any text. */
export type Same<T> = {
  readonly [K in keyof T]: T[K] extends (...values: infer A) => string
    ? (...values: A) => string
    : T[K] extends string
      ? string
      : T[K] extends readonly string[]
        ? readonly string[]
        : Same<T[K]>;
};
