// Notices to operators: open problems, notices that were sent, and a test notice.
import type { Command } from 'commander';
import { getNotice, listNotices } from '../../../client/operations/operator.js';
import type { OperatorNotice } from '../../../client/types.js';
import { deliveryErrors } from '../../../shared/messages/delivery-errors.js';
import { say } from '../../../shared/messages/message.js';
import { operatorNotices } from '../../../shared/messages/operator-notices.js';
import { operatorProblems } from '../../../shared/messages/operator-problems.js';
import { testNotice } from '../../operators/http/operator-notices.js';
import { type Cli, type Result, type Run, table } from '../command.js';
import { wholeNumber } from '../operation-options.js';

const DEFAULT_LIMIT = 20;
const TURN_MS = 200;
/** The service tries to send it at once; it may not be running. */
const TURNS = 200;

export function addNoticeCommands(program: Command, cli: Cli): void {
  const notices = program.command('notices').description('notices to operators about hosts and capacity');
  cli
    .command<{ limit: number }>(notices, 'list', 'open problems, and the last notices, newest first', list)
    .option('--limit <n>', 'number of notices', wholeNumber, DEFAULT_LIMIT);
  cli.operation(notices, 'test', testNotice, {
    description: 'send a test by mail and webhook; ends when both have been tried',
    result: async (run, { notice }) => tried(run, notice),
  });
}

async function list({ client, show }: Run, { limit }: { limit: number }): Promise<undefined> {
  const { open, notices } = await client.read(listNotices, { newest: limit });
  const text = [
    open.length === 0 ? 'no open problem' : 'open:',
    table(open.map(({ kind, id, name, reason }) => [kind, id, name, say(operatorProblems, 'en', reason)])),
    ...(notices.length === 0 ? [] : ['sent:', table(notices.map(rowOf))]),
  ];
  show({ json: { open, notices }, text: text.filter((part) => part !== '').join('\n') });
  return undefined;
}

/** Waits until both have been tried. */
async function tried({ client, pause }: Run, sent: OperatorNotice): Promise<Result> {
  let notice = sent;
  for (let turn = 0; turn < TURNS && !isTried(notice); turn++) {
    await pause(TURN_MS);
    notice = await client.read(getNotice, notice.id);
  }
  return { json: { notice }, text: resultText(notice) };
}

const isTried = ({ announced, webhook, mails }: OperatorNotice) =>
  announced &&
  (webhook.status !== 'pending' || webhook.attempts > 0) &&
  mails.every(({ sent_at, attempts }) => sent_at !== null || attempts > 0);

function resultText({ announced, webhook, mails }: OperatorNotice): string {
  if (!announced) return 'Not sent yet. Check that the service is running.';
  const mailed = mails.map(({ to, sent_at, error }) => [
    'mail',
    to,
    sent_at === null ? `not sent: ${error ?? 'not tried yet'}` : 'sent',
  ]);
  const noMail = 'no mail: CIDERMILL_SMTP_URL is not set, or nobody is an operator (CIDERMILL_OPERATOR_MAIL)';
  return table([...(mailed.length === 0 ? [['mail', '-', noMail]] : mailed), ['webhook', '-', webhookText(webhook)]]);
}

function webhookText({
  status,
  attempts,
  http_status,
  error_message,
  next_attempt_at,
}: OperatorNotice['webhook']): string {
  if (status === 'none') return 'none: CIDERMILL_OPERATOR_WEBHOOK_URL is not set';
  if (status === 'delivered') return `delivered (${http_status})`;
  if (attempts === 0) return 'not tried yet';
  const next = next_attempt_at === null ? '' : `; next attempt ${next_attempt_at}`;
  const error = error_message === null ? 'no reason given' : say(deliveryErrors, 'en', error_message);
  return `${status}: ${error}${next}`;
}

const rowOf = ({ created_at, kind, resolved, summary_message, mails, webhook }: OperatorNotice): string[] => [
  created_at ?? '',
  kind,
  resolved ? 'over' : 'begun',
  say(operatorNotices, 'en', summary_message),
  `mail ${mails.filter(({ sent_at }) => sent_at !== null).length} of ${mails.length}`,
  `webhook ${webhook.status}`,
];
