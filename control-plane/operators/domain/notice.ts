// A notice to operators: several problems of one kind that have begun, or are over, at about the same time.
import { cleanText } from '../../../shared/clean-text.js';
import { countOf } from '../../../shared/count.js';
import { bool, int, json, type RecordOf, strings, text } from '../../platform/domain/fields.js';
import type { Problem, ProblemKind } from './problem.js';

/** A notice that an operator requested, to test mail and webhook. */
export const TEST_KIND = 'operator.test';
export type NoticeKind = ProblemKind | typeof TEST_KIND;

export interface NoticeProblem {
  /** Id of the host, or of the tier. */
  readonly id: string;
  readonly name: string;
  readonly message: string;
  /** Since when it is known, ms. */
  readonly since: number;
}

/** none: no webhook is configured. */
export type WebhookStatus = 'none' | 'pending' | 'delivered' | 'failed';

export const noticeFields = {
  seq: int().assigned,
  noticeId: text(),
  kind: text<NoticeKind>(),
  resolved: bool(),
  problems: json<readonly NoticeProblem[]>(),
  createdAt: int(),
  /** Whether its mails are written and its webhook is due. */
  announced: bool().initially(false),
  /** Ids of its mails. Notices that are announced together share them. */
  mailIds: strings().initially([]),
  webhook: text<WebhookStatus>().initially('none'),
  attempts: int().initially(0),
  dueAt: int().orNull.initially(null),
  httpStatus: int().orNull.initially(null),
  error: text().orNull.initially(null),
};
export type Notice = RecordOf<typeof noticeFields>;

export type NewNotice = Pick<Notice, 'kind' | 'resolved' | 'problems'>;

/** One notice for each kind. */
export function noticesOf(problems: readonly Problem[], resolved: boolean): NewNotice[] {
  const byKind = new Map<ProblemKind, NoticeProblem[]>();
  for (const { kind, subject, name, message, begunAt, seenAt } of problems) {
    const since = (resolved ? begunAt : seenAt) ?? begunAt ?? 0;
    byKind.set(kind, [...(byKind.get(kind) ?? []), { id: subject, name, message, since }]);
  }
  return [...byKind].map(([kind, found]) => ({ kind, resolved, problems: found }));
}

interface Wording {
  readonly one: string;
  readonly begun: readonly [one: string, many: string];
  /** Also true when the host has been removed, or the tier is no longer sold. */
  readonly over: readonly [one: string, many: string];
  /** What to do; for a mail. */
  readonly advice: string;
}

const wordings: Readonly<Record<ProblemKind, Wording>> = {
  'host.offline': {
    one: 'host',
    begun: ['is offline', 'are offline'],
    over: ['is no longer offline', 'are no longer offline'],
    advice:
      'Builds on a disconnected host go on. They fail as host_lost once it has been disconnected for too long.',
  },
  'host.unhealthy': {
    one: 'host',
    begun: ['is unhealthy', 'are unhealthy'],
    over: ['is no longer unhealthy', 'are no longer unhealthy'],
    advice: '`cidermill admin host show HOST` lists the failed checks, and how to fix them.',
  },
  'host.disk_low': {
    one: 'host',
    begun: ['is low on disk space', 'are low on disk space'],
    over: ['is no longer low on disk space', 'are no longer low on disk space'],
    advice: 'These hosts take no builds until there is space again.',
  },
  'capacity.low': {
    one: 'tier',
    begun: ['is nearly sold out', 'are nearly sold out'],
    over: ['is no longer nearly sold out', 'are no longer nearly sold out'],
    advice: 'Add hosts, look for hosts that take no Macs (`cidermill admin host list`), or close the sales.',
  },
};

/** @example '50 hosts are offline', 'host mac-3 is no longer offline' */
export function summaryOf({ kind, resolved, problems }: NewNotice): string {
  if (kind === TEST_KIND) return 'this is a test of operator notices';
  const { one, begun, over } = wordings[kind];
  const [is, are] = resolved ? over : begun;
  return problems.length === 1
    ? `${one} ${problems[0]?.name} ${is}`
    : `${countOf(problems.length, one)} ${are}`;
}

const MOST_LINES = 200;

/** @example 'mac-3 (host_1): not heard since 2026-…' */
export function linesOf({ kind, resolved, problems }: NewNotice, most = MOST_LINES): string[] {
  const shown = problems.slice(0, most).map(({ id, name, message, since }) => {
    const who = id === name ? name : `${name} (${id})`;
    return resolved ? `${who}: since ${new Date(since).toISOString()}` : `${who}: ${message}`;
  });
  const left = problems.length - shown.length;
  const more = left > 0 ? [`and ${left} more`] : [];
  const advice = resolved || kind === TEST_KIND ? [] : [wordings[kind].advice];
  return [...shown, ...more, ...advice];
}

/** A chat message shows this many problems; Discord takes 2,000 characters in all. */
const CHAT_LINES = 10;
const CHAT_LINE = 150;

export function chatLinesOf(notice: NewNotice): string[] {
  const lines = [`Cidermill: ${summaryOf(notice)}`, ...linesOf(notice, CHAT_LINES)];
  return lines.map((line) => cleanText(line, CHAT_LINE));
}

/** One mail for everything that is announced together. */
export function mailOf(notices: readonly NewNotice[], siteUrl: string): { subject: string; text: string } {
  const [first = '', ...others] = notices.map(summaryOf);
  const subject = `Cidermill: ${first}${others.length > 0 ? `, and ${countOf(others.length, 'more notice')}` : ''}`;
  const parts = notices.map((notice) => [`${summaryOf(notice)}.`, ...linesOf(notice)].join('\n'));
  return { subject, text: `${parts.join('\n\n')}\n\n${siteUrl}\n` };
}

/** The body of the webhook, documented in docs/hosts.md. */
export function payloadOf(notice: Notice): string {
  const isTier = notice.kind === 'capacity.low';
  const problems = notice.problems.map(({ id, name, message, since }) => ({
    ...(isTier ? { tier: id } : { host_id: id, name }),
    ...{ message, since: new Date(since).toISOString() },
  }));
  return JSON.stringify({
    schema_version: 1,
    event_id: notice.noticeId,
    event_type: notice.kind,
    occurred_at: new Date(notice.createdAt).toISOString(),
    resolved: notice.resolved,
    summary: summaryOf(notice),
    hosts: isTier ? [] : problems,
    tiers: isTier ? problems : [],
  });
}
