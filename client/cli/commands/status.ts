import { Command } from 'commander';
import type { Advice, AgentStatus } from '../../types.js';
import { formatSpan, formatTable, formatTime, formatWon } from '../format.js';
import { buildsTable, queueText } from '../render-builds.js';
import { withSession } from '../session.js';
import { printable, type Style } from '../terminal.js';

/** `cidermill status` */
export function statusCommand(): Command {
  return new Command('status')
    .description('show Macs, queue, last builds and advice')
    .action((_options: unknown, command: Command) =>
      withSession(command.optsWithGlobals(), async ({ client, answer, style }) => {
        answer(await client.status(), (status) => statusText(status, style.out));
      }),
    );
}

function statusText(status: AgentStatus, style: Style): string {
  const { account, plan, macs, advice, queue, last_builds } = status;
  const name = printable(account.name ?? account.slug ?? String(account.id));
  const parts = [`${style.bold(name)} (${printable(account.status)}), ${plan.active_macs} active Macs\n`];
  if (macs.length > 0) {
    const rows = macs.map((mac) => [
      mac.rental_id,
      mac.tier,
      mac.state,
      mac.xcode ?? '-',
      formatSpan(mac.remaining_s),
      formatTime(mac.ends_at),
    ]);
    parts.push(formatTable(['MAC', 'TIER', 'STATE', 'XCODE', 'LEFT', 'ENDS'], rows));
  }
  parts.push(queueText(queue, style));
  if (last_builds.length > 0) parts.push(buildsTable(last_builds));
  for (const hint of advice) parts.push(`${style.yellow('advice:')} ${adviceText(hint)}\n`);
  return parts.join('\n');
}

function adviceText(advice: Advice): string {
  const left = advice.remaining_s === undefined ? '' : ` (${formatSpan(advice.remaining_s)} left)`;
  const price = advice.quote_hint ? `, a day costs ${formatWon(advice.quote_hint.amount_won)}` : '';
  switch (advice.kind) {
    case 'extend_recommended':
      return `extend ${advice.rental_id}${left}${price}`;
    case 'expiring_soon':
      return `${advice.rental_id} ends soon${left}`;
    case 'queue_backlog':
      return `${advice.queued_count} builds wait for ${advice.active_macs} Macs`;
    case 'no_active_mac':
      return 'no Mac is rented; builds cannot start';
    default:
      return printable(String(advice.kind));
  }
}
