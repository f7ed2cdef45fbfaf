// What went wrong in a tool, in the fields that a program decides by.
import { z } from 'zod';
import { CidermillError } from '../cidermill-error.js';
import { cleanLine } from './untrusted.js';

export const errorShape = z
  .looseObject({
    code: z.string().describe('a code of the error catalogue, or invalid_input, unreachable, internal_error'),
    message: z.string(),
    retryable: z.boolean().describe('true: the same call can succeed later, after retry_after_s'),
    retry_after_s: z.number().nullable(),
    fault: z.string().nullable().describe('who must act: client, platform, payment (a person), capacity'),
    next: z
      .array(z.looseObject({ action: z.string(), tool: z.string().optional() }))
      .describe('what to do instead; `tool` names the tool of this server that does it'),
    docs: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .optional()
  .describe('present when the call failed, and then alone');

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

export function describeError(error: unknown): z.infer<typeof errorShape> {
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
