import { Command } from 'commander';
import { printedJson } from '../../../shared/clean-text.js';
import { createEscapeStripper } from '../../../shared/escape-stripper.js';
import { argumentReader } from '../declare-options.js';
import { wholeNumber } from '../options.js';
import { followLines, followTail, printLines, printMatches } from '../print-log-lines.js';
import type { Session } from '../session.js';
import { withSession } from '../session.js';
import { UsageError } from '../usage-error.js';

interface Options {
  follow?: boolean;
  tail?: number;
  offset?: number;
  fromLine?: number;
  lines?: number;
  search?: string;
  timestamps?: boolean;
  /** False with `--no-ansi`. */
  ansi: boolean;
}

const anyNumber = (min: number) => argumentReader(wholeNumber(min));

/** `cidermill logs <build>` */
export function logsCommand(): Command {
  return new Command('logs')
    .description("print a build's log")
    .argument('<build>', 'build id (rb_…)')
    .option('-f, --follow', 'continue until the build has ended')
    .option('--tail <lines>', 'only the last lines', argumentReader(wholeNumber(0)))
    .option('--offset <bytes>', 'start at this byte', anyNumber(0))
    .option('--from-line <number>', 'start at this line, counted from 1', anyNumber(1))
    .option('--lines <count>', 'with --from-line or --search: the largest number of lines', anyNumber(1))
    .option('--search <text>', 'only lines with this text, ignoring case, with their numbers')
    .option('--timestamps', 'begin each line with the time at which it reached the service (UTC)')
    .option('--no-ansi', 'remove colors and other escape sequences')
    .addHelpText(
      'after',
      '\nWith --json: one document per segment of the log (one per line with --follow); with --from-line or --search one page.',
    )
    .action((id: string, options: Options, command: Command) => {
      checkOptions(options);
      const { search, fromLine, lines, ansi, follow, timestamps = false } = options;
      const page = { fromLine: fromLine ?? 1, lines: lines ?? null, plain: !ansi, timestamps };
      return withSession(command, (session) => {
        if (search !== undefined) return printMatches(session, id, search, page);
        if (fromLine !== undefined || lines !== undefined) return printLines(session, id, page);
        if (follow && options.tail !== undefined) return followTail(session, id, options.tail, page);
        if (follow && timestamps) return followLines(session, id, page);
        return printLog(session, id, { ...options, timestamps, plain: !ansi });
      });
    });
}

/** @throws UsageError for options that do not go together */
function checkOptions({ follow, tail, offset, fromLine, lines, search, timestamps }: Options): void {
  if (tail !== undefined && offset !== undefined) {
    throw new UsageError('--tail cannot be combined with --offset');
  }
  if (timestamps && offset !== undefined) {
    throw new UsageError('--timestamps cannot be combined with --offset; use --from-line');
  }
  const byLine = fromLine !== undefined || lines !== undefined || search !== undefined;
  if (byLine && (follow || tail !== undefined || offset !== undefined)) {
    throw new UsageError('--from-line, --lines and --search cannot be combined with --follow, --tail or --offset');
  }
}

interface LogForm extends Pick<Options, 'follow' | 'tail' | 'offset'> {
  /** Without terminal escape sequences. */
  plain: boolean;
  /** Each line after the time at which it arrived. */
  timestamps: boolean;
}

async function printLog(session: Session, id: string, form: LogForm): Promise<void> {
  const { follow, tail, offset, plain, timestamps } = form;
  const { log } = session.client.builds;
  if (session.json) return printDocuments(session, id, form);
  const from = offset === undefined ? {} : { offset };
  const bytes = follow
    ? log.followBytes(id, from)
    : log.stream(id, { ...from, ...(tail === undefined ? {} : { tail }), timestamps });
  for await (const piece of plain ? withoutColors(bytes) : bytes) await session.printLog(piece);
}

/** Removed here and not by the service, because a lost connection resumes at an offset of the stored log. */
async function* withoutColors(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stripper = createEscapeStripper();
  for await (const piece of bytes) {
    yield stripper.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
  }
  yield stripper.end();
}

async function printDocuments(session: Session, id: string, form: LogForm): Promise<void> {
  const { follow, tail, offset = 0, plain, timestamps } = form;
  const { print } = session;
  const { log } = session.client.builds;
  const say = (document: object, indent = 0) => print(`${printedJson(document, indent)}\n`);
  if (tail !== undefined) await say({ build_id: id, data: await log.tail(id, tail, { plain, timestamps }) }, 2);
  else if (timestamps) throw new UsageError('--json with --timestamps needs --tail, --from-line or --search');
  else if (plain) throw new UsageError('--json with --no-ansi needs --tail, --from-line or --search');
  else if (!follow) await say(await log.segment(id, offset), 2);
  else for await (const segment of log.follow(id, { offset })) await say(segment);
}
