import { Command } from 'commander';
import type { Advice, AgentStatus, Me } from '../../types.js';
import { shellWord } from '../build-request.js';
import { formatBytes, formatCount, formatSpan, formatTime, formatWon } from '../format.js';
import { buildsTable, queueText } from '../render-builds.js';
import { macsTable } from '../render-macs.js';
import { withSession } from '../session.js';
import { printable, type Style } from '../terminal.js';

/** `cidermill status` */
export function statusCommand(): Command {
  return new Command('status')
    .description('show Macs, queue, last builds and advice')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ client, answer, style }) => {
        const [status, me] = await Promise.all([client.status(), client.me()]);
        answer(status, () => statusText(status, style.out) + usageText(me));
      }),
    );
}

function statusText(status: AgentStatus, style: Style): string {
  const { account, plan, macs, advice, queue, last_builds } = status;
  const name = printable(account.name ?? account.slug ?? String(account.id));
  const active = formatCount(plan.active_macs, 'active Mac');
  const parts = [`${style.bold(name)} (${printable(account.status)}), ${active}\n`];
  if (macs.length > 0) parts.push(macsTable(macs));
  parts.push(queueText(queue, style));
  if (last_builds.length > 0) parts.push(buildsTable(last_builds));
  // An older service does not list them.
  for (const order of status.unpaid_orders ?? []) parts.push(`${style.yellow('unpaid:')} ${unpaidText(order)}\n`);
  for (const hint of advice) parts.push(`${style.yellow('advice:')} ${adviceText(hint)}\n`);
  return parts.join('\n');
}

/** Returns the account's storage usage and limits. Older services do not report them. */
function usageText({ usage, limits }: Partial<Pick<Me, 'usage' | 'limits'>>): string {
  if (usage?.contents_bytes === undefined || limits === undefined) return '';
  const parts = (['contents', 'artifacts', 'logs', 'records'] as const).flatMap((kind) => {
    const name = `${kind}_bytes` as const;
    if (usage[name] === undefined) return [];
    const words = kind === 'contents' ? 'uploads' : kind;
    return `${words} ${formatBytes(usage[name])} of ${formatBytes(limits[name])}`;
  });
  return `\nstorage: ${parts.join(', ')}\n`;
}

function unpaidText({ order_no, amount_won, pay_url, pay_expires_at }: AgentStatus['unpaid_orders'][number]): string {
  const until = formatTime(pay_expires_at);
  return `${printable(order_no)}, ${formatWon(amount_won)}: pay at ${printable(pay_url)} until ${until}`;
}

function adviceText(advice: Advice): string {
  const {
    rental_id = '-',
    rental_name = rental_id,
    remaining_s,
    quote_hint,
    queued_count = 0,
    active_macs = 0,
  } = advice;
  const mac = printable(rental_name);
  const word = shellWord(mac);
  const left = remaining_s === undefined ? '' : ` (${formatSpan(remaining_s)} left)`;
  const price = quote_hint ? `, a day costs ${formatWon(quote_hint.amount_won)}` : '';
  switch (advice.kind) {
    case 'extend_recommended':
      return `extend ${mac}${left}${price}: cidermill extend ${word} --days 1`;
    case 'expiring_soon':
      return `${mac} ends soon${left}; everything on it is deleted then`;
    case 'queue_backlog': {
      const wait = queued_count === 1 ? 'waits' : 'wait';
      return `${formatCount(queued_count, 'build')} ${wait} for ${formatCount(active_macs, 'Mac')}; more Macs: cidermill catalog, cidermill rent`;
    }
    case 'mac_unavailable':
      return `${mac} cannot be created now (${printable(advice.reason)}); its host keeps trying: cidermill macs ${word}`;
    case 'no_active_mac':
      return 'no Mac is rented, so builds cannot start: cidermill catalog, cidermill rent';
    default:
      return printable(String(advice.kind));
  }
}
