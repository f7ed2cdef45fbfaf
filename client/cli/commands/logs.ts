import { Command } from 'commander';
import { argumentReader } from '../declare-options.js';
import { wholeNumber } from '../options.js';
import { printLog } from '../print-log.js';
import { followLines, followTail, printLines, printMatches } from '../print-log-lines.js';
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
    .option('-f, --follow', 'go on until the build has ended')
    .option('--tail <lines>', 'only the last lines', argumentReader(wholeNumber(0)))
    .option('--offset <bytes>', 'from this byte on', anyNumber(0))
    .option('--from-line <number>', 'from this line on, counted from 1', anyNumber(1))
    .option('--lines <count>', 'with --from-line or --search: the largest number of lines', anyNumber(1))
    .option('--search <text>', 'only lines with this text, in any case, each after its number')
    .option('--timestamps', 'before each line the time at which it reached the service, in UTC')
    .option('--no-ansi', 'remove colors and other escape sequences')
    .addHelpText(
      'after',
      '\nWith --json: a document for each piece of the log, one a line with --follow; with --from-line or --search one page.',
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
    throw new UsageError('--tail does not go with --offset');
  }
  if (timestamps && offset !== undefined) {
    throw new UsageError('--timestamps does not go with --offset; use --from-line');
  }
  const byLine = fromLine !== undefined || lines !== undefined || search !== undefined;
  if (byLine && (follow || tail !== undefined || offset !== undefined)) {
    throw new UsageError('--from-line, --lines and --search go with none of --follow, --tail and --offset');
  }
}
