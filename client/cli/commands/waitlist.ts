import { Command } from 'commander';
import type { WaitlistEntry } from '../../types.js';
import { formatTable, formatTime } from '../format.js';
import { count } from '../renting-options.js';
import { withRenting } from '../renting-session.js';
import { printable } from '../terminal.js';

/** `cidermill waitlist [list|add|rm]` */
export function waitlistCommand(): Command {
  return new Command('waitlist')
    .description('ask for a notice when a sold-out tier is available again')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(addCommand())
    .addCommand(removeCommand());
}

function listCommand(): Command {
  return new Command('list').description('list entries').action((_options: unknown, command: Command) =>
    withRenting(command, async ({ renting, answer }) => {
      answer(await renting.waitlist.list(), ({ entries }) =>
        entries.length === 0 ? 'no entries\n' : entriesTable(entries),
      );
    }),
  );
}

function addCommand(): Command {
  return new Command('add')
    .description('add an entry for a tier')
    .argument('<tier>', 'see cidermill catalog')
    .option('--units <count>', 'number of Macs (default: 1)', count)
    .action((tier: string, { units }: { units?: number }, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        const entry = await renting.waitlist.add({ tier, ...(units === undefined ? {} : { units }) });
        answer(entry, ({ id, position }) => `${id} waits${position === null ? '' : `, position ${position}`}\n`);
      }),
    );
}

function removeCommand(): Command {
  return new Command('rm')
    .description('remove an entry')
    .argument('<entry>', 'entry (wl_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        answer(await renting.waitlist.cancel(id), (entry) => `${entry.id} ${entry.status}\n`);
      }),
    );
}

function entriesTable(entries: readonly WaitlistEntry[]): string {
  const rows = entries.map((entry) => [
    entry.id,
    printable(entry.tier),
    String(entry.units),
    entry.status,
    entry.position === null ? '' : String(entry.position),
    formatTime(entry.created_at),
    formatTime(entry.notified_at),
  ]);
  return formatTable(['ENTRY', 'TIER', 'MACS', 'STATUS', 'POSITION', 'SINCE', 'TOLD'], rows);
}
