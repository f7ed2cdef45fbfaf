import { Command } from 'commander';
import type { FailureReport, LogLine } from '../../types.js';
import { formatBytes } from '../format.js';
import { adviceOf, suggestionOf, summaryOf } from '../said.js';
import { withSession } from '../session.js';
import { printable, type Style } from '../terminal.js';

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

function failureText(report: FailureReport, style: Style): string {
  const { failure, lines, tail, total_lines, build_id } = report;
  const rows = [style.bold(`${build_id} ${headline(report)}`)];
  if (failure) {
    const { location } = failure;
    const summary = summaryOf(failure);
    rows.push(printable(summary));
    // The summary of an error with a location begins with the location.
    if (location && !summary.startsWith(`${location.file}:${location.line}:`)) {
      rows.push(`${style.cyan(`${printable(location.file)}:${location.line}`)} ${printable(location.message)}`);
    }
    rows.push(`${style.green('→')} ${printable(suggestionOf(failure))}`);
  }
  rows.push(`${style.bold('next:')} ${printable(adviceOf(report))}`);
  if (lines.length > 0) rows.push('', 'in the log:', ...numbered(lines, style));
  if (tail.length > 0) rows.push('', `the last lines, of ${total_lines}:`, ...numbered(tail, style));
  rows.push('', ...artifactRows(report), ...logRows(report));
  return `${rows.join('\n')}\n`;
}

function headline({ status, exit_code, end_reason, failure }: FailureReport): string {
  const reason = failure?.reason_code ?? (end_reason === status ? null : end_reason);
  const details = [
    ...(exit_code === null ? [] : [`exit ${exit_code}`]),
    ...(failure ? [`fault ${failure.fault}`, `step ${failure.step}`] : []),
  ];
  return printable(
    `${status}${reason === null ? '' : `: ${reason}`}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
  );
}

function numbered(lines: readonly LogLine[], style: Style): string[] {
  const digits = String(lines.at(-1)?.n ?? 1).length;
  return lines.map(({ n, text, cut }) => {
    const end = cut && !text.endsWith('…') ? '…' : '';
    return `  ${style.dim(`${String(n).padStart(digits)} │`)} ${printable(text)}${end}`;
  });
}

function artifactRows({ artifacts, more_artifacts, build_id }: FailureReport): string[] {
  if (artifacts.length === 0) return [];
  const rows = artifacts.map(({ path, bytes }) => `  ${printable(path)} (${formatBytes(bytes)})`);
  const more = more_artifacts ? ['  … and more'] : [];
  return [`artifacts (cidermill artifacts ${build_id} --output DIR):`, ...rows, ...more];
}

function logRows({ build_id, lines, total_lines }: FailureReport): string[] {
  if (total_lines === 0) return ['The log is empty.'];
  const [first] = lines;
  const from = first && first.n > 1 ? ` --from-line ${Math.max(1, first.n - 100)}` : '';
  return [`log: cidermill logs ${build_id}${from}`];
}
