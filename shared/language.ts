// The languages of the console and of mails.

export const languages = ['en', 'ko'] as const;
export type Language = (typeof languages)[number];

/** Returns the language that a browser's list of languages prefers; undefined if it has none of ours. */
export const preferredLanguage = (wanted: readonly string[]): Language | undefined =>
  wanted.map((tag) => languages.find((language) => tag.toLowerCase().split('-')[0] === language)).find(Boolean);
