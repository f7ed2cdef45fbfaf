import { Command } from 'commander';
import { argumentReader } from '../declare-options.js';

import { wholeNumber } from '../options.js';

import { type Session, withSession } from '../session.js';
import { UsageError } from '../usage-error.js';

interface Options {
  follow?: boolean;
  tail?: number;
  offset?: number;
}

/** `cidermill logs <build>` */
export function logsCommand(): Command {
  return new Command('logs')
    .description("print a build's log")
    .argument('<build>', 'build id (rb_…)')
    .option('-f, --follow', 'go on until the build has ended')
    .option('--tail <lines>', 'only the last lines', argumentReader(wholeNumber(0, 10_000)))
    .option('--offset <bytes>', 'from this byte on', argumentReader(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addHelpText('after', '\nWith --json: a document for each piece of the log, one a line with --follow.')
    .action((id: string, options: Options, command: Command) => {
      const { follow, tail, offset } = options;
      if (tail !== undefined && (follow || offset !== undefined)) {
        throw new UsageError('--tail goes neither with --follow nor with --offset');
      }
      return withSession(command.optsWithGlobals(), (session) => printLog(session, id, options));
    });
}

async function printLog(session: Session, id: string, { follow, tail, offset }: Options): Promise<void> {
  const { client, json, print, answer } = session;
  const { log } = client.builds;
  if (tail !== undefined) {
    const data = await log.tail(id, tail);
    answer({ build_id: id, data }, () => data);
  } else if (follow) {
    for await (const segment of log.follow(id, { offset: offset ?? 0 })) {
      await print(json ? `${JSON.stringify(segment)}\n` : segment.data);
    }
  } else if (json || offset !== undefined) {
    answer(await log.segment(id, offset ?? 0), ({ data }) => data);
  } else {
    for await (const bytes of log.stream(id)) await print(bytes);
  }
}
