import type { Command } from 'commander';
import { listEnrollments } from '../../../../client/operations/operator.js';
import type { WaitingMachine } from '../../../../client/types.js';
import { parseApprovalCode } from '../../../hosts/domain/approval-code.js';
import { approveHost } from '../../../hosts/http/operator-enrollment-changes.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Cli, type Run, table } from '../../command.js';
import { addFieldOptions, fieldValues } from '../../operation-options.js';

interface ApproveOptions extends Readonly<Record<string, unknown>> {
  readonly list?: boolean;
  readonly yes?: boolean;
}

/** The argument is the code or the host. */
const named = { without: ['code', 'host'] };

export function addApproveCommand(host: Command, cli: Cli): void {
  const description = 'make a machine that shows a code a host, or take a pending host into service';
  const command = cli
    .command<ApproveOptions>(host, 'approve [code-or-host]', description, approve)
    .option('--list', 'list the machines that show a code and wait')
    .option('--yes', 'do not ask');
  addFieldOptions(command, approveHost.input, named);
}

async function approve(run: Run, options: ApproveOptions, given?: string): Promise<undefined> {
  const { approvals } = await run.client.read(listEnrollments);
  if (options.list) return listAll(run, approvals);
  if (given === undefined) {
    throw new ApiError('invalid_request', { message: 'Give the code that the machine shows, or --list.' });
  }
  const code = parseApprovalCode(given);
  const machine = approvals.find((one) => one.code === code);
  if (machine) return approveMachine(run, machine, options);
  const host = await run.client.run(approveHost, { ...fieldValues(approveHost.input, options, named), host: given });
  run.show({ json: host, text: `${host.host_id} is ${host.status}` });
  return undefined;
}

async function approveMachine(run: Run, machine: WaitingMachine, options: ApproveOptions): Promise<undefined> {
  const { yes } = options;
  const about = table(details(machine));
  if (!yes) {
    run.show({ json: machine, text: about });
    await run.confirm(`Approve ${machine.name}?`);
  }
  const given = fieldValues(approveHost.input, options, named);
  const host = await run.client.run(approveHost, { ...given, code: machine.code });
  const next =
    host.tier === null ? `\nit has no tier yet: cidermill admin host approve ${host.host_id} --tier TIER` : '';
  const done = `${host.host_id} is ${host.status}${next}`;
  run.show({ json: host, text: yes ? `${about}\n${done}` : done });
  return undefined;
}

function listAll({ show }: Run, approvals: readonly WaitingMachine[]): undefined {
  const rows = approvals.map((one) => [one.code, one.name, one.ip, one.chip, one.os, `until ${one.expires_at}`]);
  show({ json: { approvals }, text: rows.length === 0 ? 'no machine waits for approval' : table(rows) });
}

const details = (one: WaitingMachine): string[][] => [
  ['code', one.code],
  ['name', one.name],
  ['address', one.ip],
  ['machine', `${one.chip}, ${one.os}`],
  ['agent', one.agent_version],
];
