import type { Command } from 'commander';
import type { Approval } from '../../../hosts/app/approvals.js';
import type { Labels } from '../../../hosts/domain/host-labels.js';
import { approvalView } from '../../../hosts/http/enrollment-view.js';
import { isoTime } from '../../../hosts/http/host-view.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Action, type Result, subcommand, table, wholeNumber } from '../../command.js';
import type { AdminService } from '../../service.js';
import { keyAndValue } from './selection.js';
import { shown } from './view.js';

interface ApproveOptions {
  list?: boolean;
  name?: string;
  tier?: string;
  slots?: number;
  label?: Labels;
  yes?: boolean;
}

export function addApproveCommand(host: Command, action: Action): void {
  subcommand(
    host,
    'approve [code-or-host]',
    'make a machine that shows a code a host, or take a pending host into service',
  )
    .option('--list', 'list the machines that show a code and wait')
    .option('--tier <id>', 'what its Macs are rented as; without it a machine becomes a pending host')
    .option('--slots <n>', 'Macs it may hold at a time (with a code; default: 2)', wholeNumber)
    .option('--name <name>', "with a code; default: the machine's name")
    .option('--label <key=value>', 'with a code; can be given several times', keyAndValue)
    .option('--yes', 'do not ask')
    .action(
      action<ApproveOptions>(async (service, options, given) => {
        if (options.list) return listOf(service);
        if (given === undefined) {
          throw new ApiError('invalid_request', {
            message: 'Give the code that the machine shows, or --list.',
          });
        }
        const approval = await service.hosts.findApproval(given);
        return approval ? approveMachine(service, approval, options) : approveHost(service, given, options);
      }),
    );
}

async function approveMachine(
  { hosts }: AdminService,
  approval: Approval,
  { yes, tier, slots, name, label: labels }: ApproveOptions,
): Promise<Result> {
  const asks = table(details(approval));
  if (!yes) return { json: { ...approvalView(approval), confirm: `Approve ${approval.name}?` }, text: asks };
  const host = await hosts.approveCode(approval.code, { tier, slots, name, labels });
  const next =
    host.tier === null ? `\nit has no tier yet: cidermill admin host approve ${host.hostId} --tier TIER` : '';
  const { json, text } = shown(host);
  return { json, text: `${asks}\n${text}${next}` };
}

async function approveHost({ hosts, operator }: AdminService, ref: string, options: ApproveOptions): Promise<Result> {
  const { tier, slots, name, label } = options;
  if (slots !== undefined || name !== undefined || label !== undefined) {
    const message = `No machine waits with the code ${ref}. --slots, --name and --label of a host are for "host set".`;
    throw new ApiError('host_not_found', { message });
  }
  const { hostId } = await hosts.named(ref);
  if (tier !== undefined) await hosts.configure(hostId, { tier });
  return shown(await hosts.change(hostId, 'approve', operator));
}

async function listOf({ hosts }: AdminService): Promise<Result> {
  const waiting = await hosts.approvals();
  const rows = waiting.map((one) => [one.code, one.name, one.ip, one.chip, one.os, `until ${isoTime(one.expiresAt)}`]);
  return {
    json: { approvals: waiting.map(approvalView) },
    text: rows.length === 0 ? 'no machine waits for approval' : table(rows),
  };
}

const details = (one: Approval): string[][] => [
  ['code', one.code],
  ['name', one.name],
  ['address', one.ip],
  ['machine', `${one.chip}, ${one.os}`],
  ['agent', one.agentVersion],
];
