import { Command } from 'commander';
import { withSession } from '../session.js';

/** `cidermill cancel <build>` */
export function cancelCommand(): Command {
  return new Command('cancel')
    .description('cancel a queued or running build')
    .argument('<build>', 'build id (rb_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withSession(command.optsWithGlobals(), async ({ client, answer }) => {
        const build = await client.builds.cancel(id);
        answer(build, () => `${build.id} ${build.status}\n`);
      }),
    );
}
