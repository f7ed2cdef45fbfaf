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
  const { print } = session;
  const { log } = session.client.builds;
  if (session.json) return printDocuments(session, id, { follow, tail, offset });
  const from = offset === undefined ? {} : { offset };
  const bytes = follow
    ? log.followBytes(id, from)
    : log.stream(id, { ...from, ...(tail === undefined ? {} : { tail }) });
  for await (const piece of bytes) await print(piece);
}

async function printDocuments(
  session: Session,
  id: string,
  { follow, tail, offset = 0 }: Options,
): Promise<void> {
  const { print } = session;
  const { log } = session.client.builds;
  const say = (document: object, indent = 0) => print(`${JSON.stringify(document, null, indent)}\n`);
  if (tail !== undefined) await say({ build_id: id, data: await log.tail(id, tail) }, 2);
  else if (!follow) await say(await log.segment(id, offset), 2);
  else for await (const segment of log.follow(id, { offset })) await say(segment);
}
