import { Command } from 'commander';
import { failureText } from '../render-failure.js';
import { withSession } from '../session.js';

/** `cidermill failure <build>` */
export function failureCommand(): Command {
  return new Command('failure')
    .description('say why a build failed: cause, place, lines of the log, what to do next')
    .argument('<build>', 'build id (rb_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withSession(command.optsWithGlobals(), async ({ client, answer, style }) => {
        answer(await client.builds.failure(id), (report) => failureText(report, style.out));
      }),
    );
}
