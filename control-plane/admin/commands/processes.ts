// The processes of the control plane.
import type { Command } from 'commander';
import { listProcesses } from '../../../client/operations/operator.js';
import { type Cli, type Run, table } from '../command.js';

export function addProcessCommands(program: Command, cli: Cli): void {
  const processes = program.command('process').description('processes of the control plane');
  cli.command(processes, 'list', 'processes that use the database, the oldest first', list);
}

async function list({ client, show }: Run): Promise<undefined> {
  const { processes } = await client.read(listProcesses);
  const rows = processes.map((one) => [
    one.process_id,
    one.machine,
    String(one.pid),
    one.version,
    String(one.schema),
    one.started_at,
    one.seen_at,
    String(one.connections),
    String(one.lag_ms),
    one.workers ? 'workers' : '',
  ]);
  const text =
    rows.length === 0
      ? 'No process is listed in the database; a service that is alone on it lists itself only when it is asked.'
      : table([['PROCESS', 'MACHINE', 'PID', 'VERSION', 'SCHEMA', 'STARTED', 'SEEN', 'HOSTS', 'LAG MS', ''], ...rows]);
  show({ json: { processes }, text });
  return undefined;
}
