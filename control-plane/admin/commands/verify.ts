import { type Command, Option } from 'commander';
import { printedJson } from '../../../shared/clean-text.js';
import type { CheckResult } from '../../start/app/verification.js';
import { type Cli, type RunAlone, table, UsageError } from '../command.js';

interface Options {
  readonly data: string;
  readonly url?: string;
  readonly watch?: boolean;
  readonly files?: boolean;
}

/** Exit code when something contradicts. */
const FOUND = 1;
const EVERY_MS = 60_000;

export function addVerifyCommand(program: Command, cli: Cli): void {
  cli
    .commandAlone<Options>(
      program,
      'verify',
      'check that the rows of the database fit together, beside a running service; changes nothing',
      async (run, { data, url, watch, files = false }) => {
        if (url !== undefined) throw new UsageError('verify works on the machine of the service: give --data');
        const check = () => allChecks(data, files);
        const first = await check();
        if (!watch) {
          run.show({ json: { checks: first }, text: textOf(first) });
          return first.some(({ contradictions }) => contradictions.length > 0) ? FOUND : undefined;
        }
        return watchChecks(run, check, first);
      },
    )
    .addOption(new Option('--files', 'look for every file or object that the database names, too: takes longer'))
    .addOption(new Option('--watch', 'check again every minute, and print what is new and what is gone'))
    .addHelpText('after', `\nExit code: 0 when everything holds, ${FOUND} when something contradicts.`);
}

async function allChecks(data: string, files: boolean): Promise<CheckResult[]> {
  // Commands of a service elsewhere load no database.
  const { verifyHere } = await import('../verify-here.js');
  const results: CheckResult[] = [];
  for await (const result of verifyHere(data, files)) results.push(result);
  return results;
}

function textOf(results: readonly CheckResult[]): string {
  const rows = results.map(({ name, holds, contradictions: { length } }) => [
    length === 0 ? 'ok' : String(length),
    name,
    holds,
  ]);
  const found = results.flatMap(linesOf);
  return [table(rows), ...(found.length === 0 ? ['', 'everything holds'] : ['', ...found])].join('\n');
}

/** A line for each contradiction, and how it is mended. */
const linesOf = ({ name, repair, contradictions }: CheckResult): string[] =>
  contradictions.length === 0 ? [] : [...contradictions.map((one) => lineOf(name, one)), `  to mend it: ${repair}`];

const lineOf = (name: string, { subject, found }: CheckResult['contradictions'][number]) =>
  `${name}: ${subject}: ${found}`;

/** Prints what differs from the pass before, until the process is ended. */
async function watchChecks(
  run: RunAlone,
  check: () => Promise<readonly CheckResult[]>,
  first: readonly CheckResult[],
): Promise<never> {
  let known = new Map<string, string>();
  for (let results = first; ; results = await check()) {
    const now = new Map(
      results.flatMap(({ name, repair, contradictions }) =>
        contradictions.map((one) => [lineOf(name, one), repair] as const),
      ),
    );
    const at = new Date(run.clock.now()).toISOString();
    if (run.asJson) {
      run.write(`${printedJson({ at, checks: results })}\n`);
    } else {
      for (const [line, repair] of now)
        if (!known.has(line)) run.write(`${at} new   ${line} (to mend it: ${repair})\n`);
      for (const line of known.keys()) if (!now.has(line)) run.write(`${at} gone  ${line}\n`);
      if (results === first)
        run.write(`${at} ${first.length} checks, ${now.size} contradictions; again every minute\n`);
    }
    known = now;
    await run.pause(EVERY_MS);
  }
}
