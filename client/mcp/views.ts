// Resources as tools return them: what an agent decides by, without nulls and without text from logs.
import type { Build, BuildFailure, Job, ListedBuild, Order } from '../types.js';
import { known } from './inputs.js';
import { cleanLine } from './untrusted.js';

/** A build in one row. */
export function buildView(build: Build | ListedBuild): Record<string, unknown> {
  const { timings, failure } = build;
  return {
    build_id: build.id,
    status: build.status,
    ...known({
      exit_code: build.exit_code,
      end_reason: build.status === 'succeeded' ? null : build.end_reason,
      queue_position: build.queue_position,
      wait_reason: build.wait_reason,
      estimated_wait_s: build.estimated_wait_s,
      repo: build.repo ?? build.repo_url,
      ref: build.ref,
      commit: build.commit,
      commit_sha: build.commit_sha,
      pr: build.pr,
      rental_id: build.rental_public_id,
      rental_name: build.rental_name,
      run_s: timings.run_s,
      failure: failure && failureView(failure),
    }),
    created_at: timings.created_at,
  };
}

/** The service's part of a failure; summary and location quote the log. */
export function failureView(failure: BuildFailure): Record<string, unknown> {
  const { fault, reason_code, step, log_excerpt_lines } = failure;
  const suggestion = cleanLine(failure.suggestion, 600);
  return { fault, step, ...known({ reason_code, suggestion, log_excerpt_lines }) };
}

export function orderView(order: Order): Record<string, unknown> {
  const { order_no, status, kind, tier, units, hours, amount_won, created_at } = order;
  const unpaid = status === 'awaiting_payment';
  return {
    ...known({ order_no, status, kind, tier, units, hours, amount_won, created_at }),
    ...(unpaid ? { pay_url: order.pay_url, pay_expires_at: order.pay_expires_at } : {}),
    ...(order.rental_ids.length > 0 ? { rental_ids: order.rental_ids } : {}),
    // Older services do not report them.
    ...(order.names?.length > 0 ? { names: order.names } : {}),
  };
}

export function jobView({ job_id, kind, status, error, message, progress }: Job): Record<string, unknown> {
  const step = status === 'running' ? progress?.step : null;
  return { job_id, kind, status, ...known({ error, message: message && cleanLine(message), step }) };
}
