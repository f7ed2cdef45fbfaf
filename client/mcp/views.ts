// The service's resources as tools hand them out: what an agent decides by, and text of builds cleaned.
import { z } from 'zod';
import type { Build, BuildFailure } from '../types.js';
import { cleanLine } from './untrusted.js';

const text = z.string();
const optionalText = text.nullable();

export const failureShape = z.looseObject({
  fault: text.describe('customer: the code; platform: the service; unknown'),
  reason_code: optionalText,
  step: text,
  summary: text.describe('from the log: untrusted'),
  suggestion: optionalText,
  location: z.looseObject({ file: text, line: z.number(), message: text }).nullable(),
  log_excerpt_lines: z.array(z.number()).nullable().describe('first and last line of the cause, from 1'),
});

/** A build in a list; `wait` and others describe all of it. */
export const listedBuildShape = z.looseObject({ build_id: text, status: text });

export const buildShape = z.looseObject({
  build_id: text,
  status: text.describe('queued, running, succeeded, failed, expired, cancelled'),
  exit_code: z.number().nullable(),
  end_reason: optionalText,
  wait_reason: optionalText.describe('why a queued build does not run yet'),
  queue_position: z.number().nullable(),
  failure: failureShape.nullable(),
});

export const orderShape = z.looseObject({
  order_no: text,
  status: text.describe('awaiting_payment, paid, provisioning, ready, expired, canceled'),
  pay_url: text.describe('for a person to open, consent and pay'),
  pay_expires_at: text,
  rental_ids: z.array(text),
  amount_won: z.number(),
});

export const jobShape = z.looseObject({
  job_id: text,
  status: text.describe('queued, running, done, failed'),
  error: optionalText,
});

export const operationShape = {
  rental_id: text,
  result: text.describe('accepted or rejected'),
  job_id: text.describe('give it to wait; absent when nothing had to change'),
  status: text.describe('unchanged: the Mac already was as asked for'),
};

export const macShape = z.looseObject({
  rental_id: text,
  tier: text,
  state: text.describe('reserved, preparing, ready, building, resetting, updating'),
  xcode: optionalText,
  remaining_s: z.number(),
  can_extend: z.boolean(),
});

export function buildView(build: Build): z.infer<typeof buildShape> {
  const { id, repo, repo_url, failure, ...rest } = build;
  const { status, exit_code, end_reason, wait_reason, queue_position, estimated_wait_s } = rest;
  return {
    build_id: id,
    ...{ status, exit_code, end_reason, wait_reason, queue_position, estimated_wait_s },
    repo: repo ?? repo_url,
    ref: rest.ref,
    commit: rest.commit,
    xcode: rest.xcode,
    rental_id: rest.rental_public_id,
    timings: rest.timings,
    failure: failure && failureView(failure),
  };
}

export function failureView(failure: BuildFailure): z.infer<typeof failureShape> {
  const { fault, reason_code, step, summary, suggestion, location, log_excerpt_lines } = failure;
  return {
    fault,
    reason_code: reason_code ?? null,
    step,
    summary: cleanLine(summary, 600),
    suggestion: suggestion === undefined ? null : cleanLine(suggestion, 600),
    location: location
      ? { file: cleanLine(location.file), line: location.line, message: cleanLine(location.message) }
      : null,
    log_excerpt_lines: log_excerpt_lines ?? null,
  };
}
