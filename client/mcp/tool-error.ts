// What went wrong in a tool, in the fields that a program decides by.
import { z } from 'zod';
import { CidermillError } from '../cidermill-error.js';
import { cleanLine } from './untrusted.js';

/** What every tool may answer instead. Short on purpose: it stands in the description of each of them. */
export const errorShape = z
  .looseObject({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    next: z.array(z.looseObject({})),
  })
  .optional()
  .describe('when the call failed, and then alone');

/** The same with everything that it carries. */
export interface ToolError {
  /** A code of the error catalogue, or `invalid_input`, `unreachable`, `bad_response`, `internal_error`. */
  code: string;
  message: string;
  /** True: the same call can succeed later, after `retry_after_s`. */
  retryable: boolean;
  retry_after_s: number | null;
  /** Who must act: client, platform, payment (a person), capacity. */
  fault: string | null;
  /** What to do instead; `tool` names the tool of this server that does it. */
  next: { action: string; tool?: string }[];
  docs: string | null;
  request_id: string | null;
}

/** Tools that do what a suggested request does. */
const tools: readonly (readonly [method: string, path: RegExp, tool: string])[] = [
  ['GET', /\/(status|queue|me|rentals|builds)$/, 'status'],
  ['GET', /\/catalog$/, 'catalog'],
  ['POST', /\/quote$/, 'quote'],
  ['POST', /\/(orders|extend)$/, 'order'],
  ['GET', /\/rentals\/[^/]+$/, 'mac'],
  ['GET', /\/(builds|jobs|orders)\/[^/]+$/, 'wait'],
  ['GET', /\/waitlist$/, 'waitlist'],
  ['POST', /\/waitlist$/, 'join_waitlist'],
  ['GET', /\/secrets$/, 'secrets'],
  ['POST', /\/reset$/, 'reset_mac'],
  ['POST', /\/xcode$/, 'set_xcode'],
  ['POST', /\/builds\/[^/]+\/cancel$/, 'cancel_build'],
];

/** Something that the caller's arguments name is not there, or cannot be used. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
}

const isInvalidInput = (error: unknown): error is Error =>
  error instanceof Error && ['InvalidInput', 'UsageError', 'SelectionError'].includes(error.name);

export function describeError(error: unknown): ToolError {
  if (error instanceof CidermillError) {
    const { code, message, retryable, retryAfterS, fault, docs, requestId, detail } = error;
    return {
      ...detail,
      code,
      message: cleanLine(message, 600),
      retryable,
      retry_after_s: retryAfterS,
      fault,
      next: error.next.map((next) => ({ ...next, ...toolFor(next.method, next.path) })),
      docs,
      request_id: requestId,
    };
  }
  const mistake = isInvalidInput(error);
  if (!mistake) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return {
    code: mistake ? 'invalid_input' : 'internal_error',
    message: error instanceof Error ? error.message : String(error),
    retryable: false,
    retry_after_s: null,
    fault: 'client',
    next: [],
    docs: null,
    request_id: null,
  };
}

function toolFor(method: string, path: string): { tool?: string } {
  const bare = path.split('?', 1)[0] ?? '';
  const found = tools.find(([verb, pattern]) => verb === method && pattern.test(bare));
  return found ? { tool: found[2] } : {};
}
