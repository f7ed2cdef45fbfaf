// Notices to operators: open problems, notices that were sent, and a test notice.
import { type Command, Option } from 'commander';
import { printedJson, visibleText } from '../../../shared/clean-text.js';
import type { SentNotice } from '../../operators/app/operator-notices.js';
import { type Notice, summaryOf } from '../../operators/domain/notice.js';
import { type Action, type Result, subcommand, table, wholeNumber } from '../command.js';
import type { AdminService } from '../service.js';

const DEFAULT_LIMIT = 20;
const TURN_MS = 200;
/** A command in a remote service must answer within a minute. */
const TURNS = 100;

export function addNoticeCommands(program: Command, action: Action): void {
  const notices = program.command('notices').description('notices to operators about hosts and capacity');

  subcommand(notices, 'list', 'open problems, and the last notices, newest first')
    .option('--limit <n>', 'number of notices', wholeNumber, DEFAULT_LIMIT)
    .action(action<{ limit: number }>(list));

  subcommand(notices, 'test', 'send a test by mail and webhook; ends when both have been tried')
    .addOption(new Option('--page <notice>').hideHelp())
    .action(
      action<{ page?: string }>(test, ({ json, text }, asJson) =>
        asJson ? `${printedJson(json)}\n` : text === '' ? '' : `${visibleText(text, '\n')}\n`,
      ),
    );
}

async function list({ operatorNotices, limits }: AdminService, { limit }: { limit: number }): Promise<Result> {
  const open = await operatorNotices.open();
  const sent = await operatorNotices.list(Math.min(limit, limits.list_limit_max));
  return {
    json: {
      open: open.map(({ kind, subject, name, message, begunAt }) => ({
        kind,
        id: subject,
        name,
        message,
        since: isoTime(begunAt),
      })),
      notices: sent.map(noticeView),
    },
    text: [
      open.length === 0 ? 'no open problem' : 'open:',
      table(open.map(({ kind, subject, name, message }) => [kind, subject, name, message])),
      ...(sent.length === 0 ? [] : ['sent:', table(sent.map(rowOf))]),
    ]
      .filter((part) => part !== '')
      .join('\n'),
  };
}

/** The first page adds the notice; each further one waits until the service has tried to send it. */
async function test(service: AdminService, { page }: { page?: string }): Promise<Result> {
  const { operatorNotices } = service;
  const noticeId = page ?? (await operatorNotices.test()).noticeId;
  let sent = await operatorNotices.find(noticeId);
  for (let turn = 0; turn < TURNS && sent !== null && !isTried(sent); turn++) {
    await service.pause(TURN_MS);
    sent = await operatorNotices.find(noticeId);
  }
  const isOpen = sent !== null && !isTried(sent) && page === undefined;
  return {
    json: { notice: sent && noticeView(sent), ...(isOpen ? { next: noticeId } : {}) },
    text: isOpen ? '' : sent === null ? 'The notice is gone.' : resultText(sent),
  };
}

const isTried = ({ notice, mails }: SentNotice) =>
  notice.announced &&
  (notice.webhook !== 'pending' || notice.attempts > 0) &&
  mails.every(({ sentAt, attempts }) => sentAt !== null || attempts > 0);

function resultText({ notice, mails }: SentNotice): string {
  if (!notice.announced) return 'Not sent yet. Check that the service is running.';
  const mailed = mails.map(({ recipient, sentAt, lastError }) => [
    'mail',
    recipient,
    sentAt === null ? `not sent: ${lastError ?? 'not tried yet'}` : 'sent',
  ]);
  const noMail = 'no mail: CIDERMILL_SMTP_URL is not set, or nobody is an operator (CIDERMILL_OPERATOR_MAIL)';
  return table([...(mailed.length === 0 ? [['mail', '-', noMail]] : mailed), ['webhook', '-', webhookText(notice)]]);
}

function webhookText({ webhook, attempts, httpStatus, error, dueAt }: Notice): string {
  if (webhook === 'none') return 'none: CIDERMILL_OPERATOR_WEBHOOK_URL is not set';
  if (webhook === 'delivered') return `delivered (${httpStatus})`;
  if (attempts === 0) return 'not tried yet';
  const next = dueAt === null ? '' : `; next attempt ${isoTime(dueAt)}`;
  return `${webhook}: ${error ?? 'no reason given'}${next}`;
}

const rowOf = ({ notice, mails }: SentNotice): string[] => [
  isoTime(notice.createdAt) ?? '',
  notice.kind,
  notice.resolved ? 'over' : 'begun',
  summaryOf(notice),
  `mail ${mails.filter(({ sentAt }) => sentAt !== null).length} of ${notice.mailIds.length}`,
  `webhook ${notice.webhook}`,
];

const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function noticeView({ notice, mails }: SentNotice) {
  return {
    id: notice.noticeId,
    kind: notice.kind,
    resolved: notice.resolved,
    summary: summaryOf(notice),
    created_at: isoTime(notice.createdAt),
    problems: notice.problems.map(({ since, ...problem }) => ({ ...problem, since: isoTime(since) })),
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
      error: notice.error,
      next_attempt_at: isoTime(notice.dueAt),
    },
  };
}
