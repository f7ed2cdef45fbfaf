import type { Command } from 'commander';
import { type Action, subcommand, wholeNumber } from '../../command.js';

export function addEnrolCommand(host: Command, action: Action): void {
  subcommand(host, 'enroll', 'make a one-time token (15 minutes) with which a machine becomes a host')
    .option('--name <name>', "the machine's own name otherwise")
    .option('--tier <id>', 'what its Macs are rented as; without it the host waits for approval')
    .option('--slots <n>', 'Macs it may hold at a time', wholeNumber, 2)
    .action(
      action<{ name?: string; tier?: string; slots: number }>(async ({ hosts }, { name, tier, slots }) => {
        const made = await hosts.createEnrolment({ name, tier, slots });
        return { json: made, text: `${made.token}\nvalid until ${made.expires_at}` };
      }),
    );
}
