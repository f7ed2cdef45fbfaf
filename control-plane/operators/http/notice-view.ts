// Notices to operators, as operators see them.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { storedError } from '../../platform/domain/stored-message.js';
import { errorShapes, errorView, messageShape, messageView } from '../../platform/http/message-view.js';
import { count, time } from '../../platform/http/values.js';
import type { SentNotice } from '../app/operator-notices.js';
import { type NewNotice, summaryOf } from '../domain/notice.js';
import { type Problem, reasonOf } from '../domain/problem.js';

const reason = messageShape.meta({ description: 'What is wrong' });

export const openProblemShape = z
  .object({
    kind: z.string(),
    id: z.string().meta({ description: 'Of the host, tier or refund, or the number of the order' }),
    name: z.string(),
    reason,
    since: time.nullable(),
  })
  .meta({ id: 'OpenProblem', description: 'A problem that was announced and is not over' });

export const openProblemView = (problem: Problem): z.input<typeof openProblemShape> => ({
  kind: problem.kind,
  id: problem.subject,
  name: problem.name,
  reason: messageView(reasonOf(problem)),
  since: isoTime(problem.begunAt),
});

export const summaryShapes = {
  summary: z.string(),
  summary_message: messageShape.meta({ description: '`summary` as a code with values' }),
};

export function summaryView(notice: NewNotice) {
  const summary = summaryOf(notice);
  return { summary: summary.text, summary_message: messageView(summary) };
}

export const noticeShape = z
  .object({
    id: z.string(),
    kind: z.string(),
    resolved: z.boolean().meta({ description: 'The problems are over' }),
    announced: z.boolean().meta({ description: 'Its mails are written, and its webhook is due' }),
    ...summaryShapes,
    created_at: time.nullable(),
    problems: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        reason,
        since: time.nullable(),
      }),
    ),
    mails: z.array(
      z.object({ to: z.string(), sent_at: time.nullable(), attempts: count, error: z.string().nullable() }),
    ),
    webhook: z.object({
      status: z.enum(['none', 'pending', 'delivered', 'failed']),
      attempts: count,
      http_status: count.nullable(),
      ...errorShapes,
      next_attempt_at: time.nullable(),
    }),
  })
  .meta({ id: 'OperatorNotice', description: 'A notice to operators, and what became of its mails and webhook' });

export function noticeView({ notice, mails }: SentNotice): z.input<typeof noticeShape> {
  return {
    id: notice.noticeId,
    kind: notice.kind,
    resolved: notice.resolved,
    announced: notice.announced,
    ...summaryView(notice),
    created_at: isoTime(notice.createdAt),
    problems: notice.problems.map(({ id, name, reason, since }) => ({
      id,
      name,
      reason: messageView(reason),
      since: isoTime(since),
    })),
    mails: mails.map(({ recipient, sentAt, attempts, lastError }) => ({
      to: recipient,
      sent_at: isoTime(sentAt),
      attempts,
      error: lastError,
    })),
    webhook: {
      status: notice.webhook,
      attempts: notice.attempts,
      http_status: notice.httpStatus,
      ...errorView({ error: storedError(notice) }),
      next_attempt_at: isoTime(notice.dueAt),
    },
  };
}
