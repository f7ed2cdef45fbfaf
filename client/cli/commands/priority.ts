import { Command } from 'commander';
import { argumentReader } from '../declare-options.js';
import { priority } from '../options.js';
import { withSession } from '../session.js';

/** `cidermill priority <build> 0|1` */
export function priorityCommand(): Command {
  return new Command('priority')
    .description('set the priority of a queued build: 1 starts before 0')
    .argument('<build>', 'build id (rb_…)')
    .argument('<priority>', '0 or 1', argumentReader(priority))
    .action((id: string, priority: 0 | 1, _options: unknown, command: Command) =>
      withSession(command, async ({ client, answer }) => {
        const build = await client.builds.setPriority(id, priority);
        answer(build, () => `${build.id} priority ${build.priority}, position ${build.queue_position ?? '-'}\n`);
      }),
    );
}
