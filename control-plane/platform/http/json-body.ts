import { ApiError } from '../domain/error-catalog.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a UTF-8 JSON body of any value. Returns undefined for an empty body. Throws invalid_json. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    // Not the message of the parser: it quotes the body, which may contain a secret.
    throw new ApiError('invalid_json', { cause });
  }
}
