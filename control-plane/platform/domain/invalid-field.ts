// The problems of the fields of a request, as errors carry them.
import type { Message } from '../../../shared/messages/message.js';

/** A problem of a field. `message` is `text` again, for programs from the time before there were codes. */
export interface InvalidField extends Message {
  /** Names and positions from the root of the body or query, joined by dots: `levels.0`. */
  readonly path: string;
  readonly message: string;
}

/** @example invalidField('hours', fieldProblem('too_small', { least: 24 })) */
export function invalidField(path: string, { code, params, text }: Message): InvalidField {
  return { path, code, params, text, message: text };
}

/** @example topOf('levels.0') // 'levels' */
export const topOf = (path: string): string => path.split('.', 1)[0] ?? path;
