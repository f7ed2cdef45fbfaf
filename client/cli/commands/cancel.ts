import { Command } from 'commander';
import type { Build } from '../../types.js';
import { withSession } from '../session.js';

/** `cidermill cancel <build>` */
export function cancelCommand(): Command {
  return new Command('cancel')
    .description('cancel a queued or running build')
    .argument('<build>', 'build id (rb_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withSession(command, async ({ client, answer }) => {
        const build = await client.builds.cancel(id);
        answer(build, () => `${build.id} ${outcome(build)}\n`);
      }),
    );
}

/** A running build has some seconds to end; an ended one does not change. */
function outcome({ status }: Build): string {
  if (status === 'cancelled') return 'cancelled';
  return status === 'running' ? 'is being canceled' : `had already ended: ${status}`;
}
