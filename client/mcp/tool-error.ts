// Errors of tools, as fields that a program can act on.

import { systemProblem } from '../../shared/system-problem.js';
import { CidermillError } from '../cidermill-error.js';
import { findOperation, type OperationId } from '../operations/find-operation.js';
import type { NextRequest } from '../types.js';
import { cleanLine } from './untrusted.js';
import { failureView } from './views.js';

/** The one field of a failed answer. */
export interface ToolError {
  /** A code of the error catalog, or `invalid_input`, `not_configured`, `unreachable`, `bad_response`, `internal_error`. */
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

/** The caller's arguments are invalid, or name something that does not exist or cannot be used. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
}

/** No service is configured; the message says how to do that. */
export class NotConfigured extends Error {
  override readonly name = 'NotConfigured';
}

const LONGEST_MESSAGE = 600;

/** Codes of errors that are not the service's. */
const ownCodes: Readonly<Record<string, string>> = {
  InvalidInput: 'invalid_input',
  UsageError: 'invalid_input',
  SelectionError: 'invalid_input',
  NotConfigured: 'not_configured',
};

export function describeError(error: unknown, toolFor: ToolFor): ToolError {
  if (error instanceof CidermillError) {
    const { code, message, retryable, retryAfterS, fault, docs, requestId, detail, failure } = error;
    return {
      ...detail,
      ...(failure ? { failure: failureView(failure) } : {}),
      code,
      message: cleanLine(message, LONGEST_MESSAGE),
      retryable,
      retry_after_s: retryAfterS,
      fault,
      next: nextTools(error.next, toolFor),
      docs,
      request_id: requestId,
    };
  }
  const problem = systemProblem(error);
  const own = error instanceof Error ? ownCodes[error.name] : undefined;
  const code = own ?? (problem?.isInput ? 'invalid_input' : undefined);
  if (code === undefined && problem === null) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return {
    code: code ?? 'internal_error',
    message: cleanLine(problem?.text ?? (error instanceof Error ? error.message : String(error)), LONGEST_MESSAGE),
    retryable: false,
    retry_after_s: null,
    fault: 'client',
    next: [],
    docs: null,
    request_id: null,
  };
}

/** Returns the name of the tool that does what an operation does, or null if the server offers none. */
export type ToolFor = (operation: OperationId) => string | null;

/** Suggested requests, with the name of the tool that does each, if the server offers it. */
export function nextTools(next: readonly NextRequest[], toolFor: ToolFor) {
  return next.map((request) => {
    const found = findOperation(request);
    const tool = found && toolFor(found.id);
    return tool === null ? request : { ...request, tool };
  });
}
