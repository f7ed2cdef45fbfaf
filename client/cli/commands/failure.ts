import { Command } from 'commander';
import { failureText } from '../render-failure.js';
import { withSession } from '../session.js';

/** `cidermill failure <build>` */
export function failureCommand(): Command {
  return new Command('failure')
    .description('show why a build failed: cause, location, log lines, what to do next')
    .argument('<build>', 'build id (rb_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withSession(command, async ({ client, answer, style }) => {
        answer(await client.builds.failure(id), (report) => failureText(report, style.out));
      }),
    );
}
