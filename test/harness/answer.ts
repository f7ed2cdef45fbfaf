// How tests send requests, and what they read of the answers.
import type { Harness } from './harness.js';

export interface Answer {
  readonly statusCode: number;
  readonly headers: { readonly 'set-cookie'?: unknown; readonly 'retry-after'?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer
  json(): any;
}

/** @example outcome(await signIn()) // '401 invalid_credentials' */
export const outcome = (answer: Pick<Answer, 'statusCode' | 'json'>): string =>
  answer.statusCode < 400 ? String(answer.statusCode) : `${answer.statusCode} ${answer.json().error.code}`;

/** The session that an answer begins, as a request sends it. */
export const cookieOf = (answer: Pick<Answer, 'headers'>): string =>
  String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';

/** Sends requests of a person to the console's API. */
export const asPerson = (h: Harness, cookie: string) => (method: string, path: string, body?: object) =>
  h.callConsole(method, path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
