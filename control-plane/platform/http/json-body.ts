import { ApiError } from '../domain/error-catalog.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON body: UTF-8, any value, or nothing at all (undefined). Throws invalid_json. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    // The parser's own message quotes the body, which may hold a secret.
    throw new ApiError('invalid_json', { cause });
  }
}
