// What tests read of an answer of the console's API.

export interface Answer {
  readonly statusCode: number;
  readonly headers: { readonly 'set-cookie'?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer
  json(): any;
}

/** @example outcome(await signIn()) // '401 invalid_credentials' */
export const outcome = (answer: Pick<Answer, 'statusCode' | 'json'>): string =>
  answer.statusCode < 400 ? String(answer.statusCode) : `${answer.statusCode} ${answer.json().error.code}`;

/** The session that an answer begins, as a request sends it. */
export const cookieOf = (answer: Pick<Answer, 'headers'>): string =>
  String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
