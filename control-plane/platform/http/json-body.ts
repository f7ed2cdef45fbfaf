import { isUtf8 } from 'node:buffer';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { ApiError } from '../domain/error-catalog.js';
import { fieldError } from '../domain/field-error.js';
import { loneSurrogateIn } from '../domain/well-formed-text.js';
import { hasMoreValues } from './json-values.js';

/** No request needs as many; parsing those of a megabyte may take a tenth of a second. */
const MOST_VALUES = 10_000;

const BOM = Buffer.from('\uFEFF');

/** Parses a UTF-8 JSON body of any value. Returns undefined for an empty body. Throws invalid_json. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (hasMoreValues(bytes, MOST_VALUES)) {
    throw new ApiError('invalid_json', { message: `A JSON body may have at most ${MOST_VALUES} values and lists.` });
  }
  const { text, value } = parsed(bytes);
  const at = loneSurrogateIn(text);
  if (at === -1) return value;
  const problem = fieldProblem('half_a_surrogate', { position: at + 1 });
  const field = fieldWithSurrogate(value);
  if (field !== null) throw fieldError('invalid_json', field, problem);
  throw new ApiError('invalid_json', { message: `Not valid: ${problem.text}.` });
}

function parsed(bytes: Buffer): { text: string; value: unknown } {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json');
  // A TextDecoder makes strings of twice the size, which take twice the time to parse.
  const text = bytes.toString('utf8', bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0);
  try {
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    // Not the message of the parser: it quotes the body, which may contain a secret.
    throw new ApiError('invalid_json', { cause });
  }
}

/** Returns the name of a field of the body itself, not of objects in it, or null. */
function fieldWithSurrogate(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  for (const name of Object.keys(body)) {
    const value: unknown = Reflect.get(body, name);
    // Names from the client are not repeated unless they are short and plain.
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) return /^\w{1,40}$/.test(name) ? name : null;
  }
  return null;
}
