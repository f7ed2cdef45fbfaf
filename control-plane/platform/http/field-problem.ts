// Validation messages for fields and query parameters, written for the sender of the request.
import type { z } from 'zod';
import { countOf } from '../../../shared/count.js';

const names: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** Returns a message, or undefined to use the message of the shape or of zod. */
export function fieldProblem(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return 'is missing';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${names[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length > 1
        ? `must be one of ${issue.values.map(String).join(', ')}`
        : `must be ${JSON.stringify(issue.values[0])}`;
    case 'too_small':
      return `must ${measure('at least', issue.minimum, issue.origin)}`;
    case 'too_big':
      return `must ${measure('at most', issue.maximum, issue.origin)}`;
    default:
      return undefined;
  }
}

/** The same for a query parameter, which is a string, or an array if it is given more than once. */
export function parameterProblem(issue: z.core.$ZodRawIssue): string | undefined {
  return Array.isArray(issue.input) ? 'is given more than once' : fieldProblem(issue);
}

function measure(bound: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `have ${bound} ${countOf(limit, 'character')}`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${countOf(limit, 'entry', 'entries')}`;
  return `be ${bound} ${limit}`;
}
