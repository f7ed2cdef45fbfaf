// What zod found wrong with a field or query parameter, as messages for the sender of the request.
import type { z } from 'zod';
import { type FieldKind, fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';

const kinds: Readonly<Record<string, FieldKind>> = {
  string: 'string',
  number: 'number',
  int: 'integer',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  record: 'object',
};

/** Sentences for `safeParse`; undefined: that of the shape or of zod. */
export const fieldText = (issue: z.core.$ZodRawIssue): string | undefined => known(issue)?.text;

/** The same for a query parameter, which is a string, or an array if it is given more than once. */
export const parameterText = (issue: z.core.$ZodRawIssue): string | undefined =>
  Array.isArray(issue.input) ? fieldProblem('given_twice').text : fieldText(issue);

/** Returns the problem of an issue of `safeParse` with `reportInput`. */
export function problemOf(issue: z.core.$ZodIssue): Message {
  const own = issue.code === 'custom' ? issue.params?.problem : undefined;
  if (isMessage(own)) return own;
  const problem = known(issue);
  if (problem?.text === issue.message) return problem;
  if (issue.message === fieldProblem('given_twice').text) return fieldProblem('given_twice');
  return fieldProblem('refused', { reason: issue.message });
}

/**
 * Options of `refine` and `addIssue` that say what is wrong.
 *
 * @example z.string().refine((text) => text !== '', because(fieldProblem('required')))
 */
export const because = (problem: Message) => ({ message: problem.text, params: { problem } });

/** @example context.addIssue(issueBecause(fieldProblem('invalid_time'))) */
export const issueBecause = (problem: Message) => ({ code: 'custom' as const, ...because(problem) });

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'code' in value && 'params' in value && 'text' in value;

function known(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): Message | null {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return fieldProblem('required');
  }
  switch (issue.code) {
    case 'invalid_type': {
      const kind = kinds[issue.expected as string];
      return kind ? fieldProblem('wrong_type', { kind }) : fieldProblem('invalid');
    }
    case 'invalid_value': {
      const values = issue.values as readonly unknown[];
      return values.length > 1
        ? fieldProblem('invalid_choice', { choices: values.map(String).join(', ') })
        : fieldProblem('other_value', { value: JSON.stringify(values[0]) });
    }
    case 'too_small':
      return tooSmall(String(issue.origin), Number(issue.minimum));
    case 'too_big':
      return tooLarge(String(issue.origin), Number(issue.maximum));
    case 'invalid_format':
      return issue.format === 'email' ? fieldProblem('invalid_email') : fieldProblem('invalid_format');
    case 'not_multiple_of':
      return fieldProblem('not_a_multiple', { step: Number(issue.divisor) });
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return fieldProblem('invalid');
    default:
      return null;
  }
}

function tooSmall(origin: string, least: number): Message {
  if (origin === 'string') return least === 1 ? fieldProblem('required') : fieldProblem('too_short', { least });
  if (origin === 'array' || origin === 'set') return fieldProblem('too_few', { least });
  return fieldProblem('too_small', { least });
}

function tooLarge(origin: string, most: number): Message {
  if (origin === 'string') return fieldProblem('too_long', { most });
  if (origin === 'array' || origin === 'set') return fieldProblem('too_many', { most });
  return fieldProblem('too_large', { most });
}
