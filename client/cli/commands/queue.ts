import { Command } from 'commander';
import { queueText } from '../render-builds.js';
import { withSession } from '../session.js';

/** `cidermill queue` */
export function queueCommand(): Command {
  return new Command('queue')
    .description('show running and queued builds')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ client, answer, style }) => {
        answer(await client.queue(), (queue) => queueText(queue, style.out));
      }),
    );
}
