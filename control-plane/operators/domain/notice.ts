// A notice to operators: several problems of one kind that have begun, or are over, at about the same time.
import { cleanText } from '../../../shared/clean-text.js';
import type { Language } from '../../../shared/language.js';
import { type Message, message, say, uncoded } from '../../../shared/messages/message.js';
import { operatorNotices } from '../../../shared/messages/operator-notices.js';
import { operatorProblems } from '../../../shared/messages/operator-problems.js';
import { bool, int, json, type RecordOf, strings, text } from '../../platform/domain/fields.js';
import { storedMessage } from '../../platform/domain/stored-message.js';
import { noticeWords } from './notice-words.js';
import { type Problem, type ProblemKind, reasonOf } from './problem.js';

/** A notice that an operator requested, to test mail and webhook. */
export const TEST_KIND = 'operator.test';
export type NoticeKind = ProblemKind | typeof TEST_KIND;

export interface NoticeProblem {
  /** Id of the host, tier or refund, or the number of the order or top-up. */
  readonly id: string;
  readonly name: string;
  /** What is wrong, or was. */
  readonly reason: Message;
  /** Since when it is known, ms. */
  readonly since: number;
}

/** As older versions stored it. */
type OlderProblem = Omit<NoticeProblem, 'reason'> & { readonly message: string };

const readProblems = (stored: unknown): readonly NoticeProblem[] =>
  (stored as readonly (NoticeProblem | OlderProblem)[]).map((one) => {
    if ('reason' in one) return one;
    const { id, name, message, since } = one;
    return { id, name, reason: uncoded(message), since };
  });

/** none: no webhook is configured. */
export type WebhookStatus = 'none' | 'pending' | 'delivered' | 'failed';

export const noticeFields = {
  seq: int().assigned,
  noticeId: text(),
  kind: text<NoticeKind>(),
  resolved: bool(),
  problems: json(readProblems),
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
  /** `error` as a message; null in rows of older versions. */
  errorMessage: storedMessage().orNull.initially(null),
};
export type Notice = RecordOf<typeof noticeFields>;

export type NewNotice = Pick<Notice, 'kind' | 'resolved' | 'problems'>;

/** One notice for each kind. */
export function noticesOf(problems: readonly Problem[], resolved: boolean): NewNotice[] {
  const byKind = new Map<ProblemKind, NoticeProblem[]>();
  for (const problem of problems) {
    const { kind, subject, name, begunAt, seenAt } = problem;
    const since = (resolved ? begunAt : seenAt) ?? begunAt ?? 0;
    byKind.set(kind, [...(byKind.get(kind) ?? []), { id: subject, name, reason: reasonOf(problem), since }]);
  }
  return [...byKind].map(([kind, found]) => ({ kind, resolved, problems: found }));
}

const MOST_LINES = 200;

/** @example linesOf(notice) // ['mac-3 (host_1): not heard since 2026-…', 'Builds on a disconnected host go on. …'] */
export function linesOf(
  { kind, resolved, problems }: NewNotice,
  most = MOST_LINES,
  language: Language = 'en',
): string[] {
  const w = noticeWords[language];
  const shown = problems.slice(0, most).map(({ id, name, reason, since }) => {
    const who = id === name ? name : `${name} (${id})`;
    return `${who}: ${resolved ? w.since(new Date(since).toISOString()) : say(operatorProblems, language, reason)}`;
  });
  const left = problems.length - shown.length;
  const more = left > 0 ? [w.more(left)] : [];
  const advice = resolved || kind === TEST_KIND ? [] : [w.advice[kind]];
  return [...shown, ...more, ...advice];
}

/** @example summaryOf(notice).text // '50 hosts are offline' */
export function summaryOf({ kind, resolved, problems }: NewNotice): Message {
  if (kind === TEST_KIND) return message(operatorNotices, 'test');
  const code = summaryCodes[kind];
  const [first, ...others] = problems;
  if (first && others.length === 0) {
    return message(operatorNotices, resolved ? `${code}_over` : code, { name: first.name });
  }
  return message(operatorNotices, resolved ? `${code}_over_many` : `${code}_many`, { count: problems.length });
}

const summaryCodes = {
  'host.offline': 'host_offline',
  'host.unhealthy': 'host_unhealthy',
  'host.disk_low': 'host_disk_low',
  'host.credential_conflict': 'host_credential_conflict',
  'host.macs_failing': 'host_macs_failing',
  'capacity.low': 'capacity_low',
  'payment.unsettled': 'payment_unsettled',
} as const satisfies Readonly<Record<ProblemKind, string>>;

/** A chat message shows this many problems; Discord takes 2,000 characters in all. */
const CHAT_LINES = 10;
const CHAT_LINE = 150;

export function chatLinesOf(notice: NewNotice): string[] {
  const lines = [`Cidermill: ${summaryOf(notice).text}`, ...linesOf(notice, CHAT_LINES)];
  return lines.map((line) => cleanText(line, CHAT_LINE));
}

/** One mail for everything that is announced together. */
export function mailOf(
  notices: readonly NewNotice[],
  siteUrl: string,
  language: Language,
): { subject: string; text: string } {
  const summaries = notices.map((notice) => say(operatorNotices, language, summaryOf(notice)));
  const [first = '', ...others] = summaries;
  const more = others.length > 0 ? noticeWords[language].moreNotices(others.length) : '';
  const parts = notices.map((notice, at) => [`${summaries[at]}.`, ...linesOf(notice, MOST_LINES, language)].join('\n'));
  return { subject: `Cidermill: ${first}${more}`, text: `${parts.join('\n\n')}\n\n${siteUrl}\n` };
}

const subjectsOf = (kind: NoticeKind): 'hosts' | 'tiers' | 'payments' =>
  kind === 'capacity.low' ? 'tiers' : kind === 'payment.unsettled' ? 'payments' : 'hosts';

/** The body of the webhook, documented in docs/hosts.md. */
export function payloadOf(notice: Notice): string {
  const of = subjectsOf(notice.kind);
  const summary = summaryOf(notice);
  const problems = notice.problems.map(({ id, name, reason, since }) => ({
    ...{ tiers: { tier: id }, payments: { id, order_no: name }, hosts: { host_id: id, name } }[of],
    message: reason.text,
    reason,
    since: new Date(since).toISOString(),
  }));
  return JSON.stringify({
    schema_version: 1,
    event_id: notice.noticeId,
    event_type: notice.kind,
    occurred_at: new Date(notice.createdAt).toISOString(),
    resolved: notice.resolved,
    summary: summary.text,
    summary_message: summary,
    hosts: [],
    tiers: [],
    payments: [],
    [of]: problems,
  });
}
