import { Command } from 'commander';
import { withSession } from '../session.js';
import { printable } from '../terminal.js';

/** `cidermill rerun <build>` */
export function rerunCommand(): Command {
  return new Command('rerun')
    .description('run a build again, of the same commit or upload; prints the id of the new one')
    .argument('<build>', 'build id (rb_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withSession(command, async ({ client, answer, note }) => {
        const build = await client.builds.rerun(id);
        answer(build, () => `${build.id}\n`);
        if (build.notify)
          note(`notifications to ${printable(build.notify.url)} are signed with ${build.notify.secret}`);
        note(`follow it with: cidermill logs -f ${build.id}`);
      }),
    );
}
