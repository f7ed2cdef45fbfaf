// A failed build in a few lines.

import { CidermillError } from '../cidermill-error.js';
import type { Build } from '../types.js';
import { formatSpan } from './format.js';
import { fetchLines, type LogNotes } from './log-excerpt.js';
import { suggestionOf, summaryOf } from './said.js';
import type { Session } from './session.js';
import { printable, type Style } from './terminal.js';

const SHOWN_LINES = 20;
const SHOWN_WIDTH = 200;

/** The lines of the log to show: at most the last 20 of the excerpt that the service points to. */
export function excerptRange(build: Build): [number, number] | null {
  const [first, last] = build.failure?.log_excerpt_lines ?? [];
  if (first === undefined || last === undefined || first < 1 || last < first) return null;
  return [Math.max(first, last - SHOWN_LINES + 1), last];
}

/**
 * The card: outcome and reason, place, excerpt, suggestion, log.
 *
 * @param excerpt lines of the log, the first of them with the number `firstLine`
 */
export function failureCard(build: Build, excerpt: string[], firstLine: number, style: Style): string {
  const { failure } = build;
  const lines = [`${style.red('✗')} ${style.bold(`${build.id} ${headline(build)}`)}`];
  if (!failure) return `${lines[0]}\n`;
  const { location } = failure;
  const [summary, suggestion] = [summaryOf(failure), suggestionOf(failure)];
  if (summary) lines.push(`  ${printable(summary)}`);
  // The summary of an error with a location begins with the location.
  if (location && !summary.startsWith(`${location.file}:${location.line}:`)) {
    lines.push(`  ${style.cyan(`${printable(location.file)}:${location.line}`)} ${printable(location.message)}`);
  }
  const digits = String(firstLine + excerpt.length).length;
  excerpt.forEach((text, at) => {
    const number = String(firstLine + at).padStart(digits);
    lines.push(`  ${style.dim(`${number} │`)} ${printable(text).slice(0, SHOWN_WIDTH)}`);
  });
  if (suggestion) lines.push(`  ${style.green('→')} ${printable(suggestion)}`);
  lines.push(style.dim(`  log: cidermill logs ${build.id}`));
  return `${lines.join('\n')}\n`;
}

function headline(build: Build): string {
  const reason = printable(build.failure?.reason_code ?? build.end_reason ?? '');
  const details = [
    build.exit_code === null ? '' : `exit ${build.exit_code}`,
    build.timings.run_s === null ? '' : formatSpan(build.timings.run_s),
    build.failure?.category === 'platform' ? 'the service is at fault' : '',
  ].filter((part) => part !== '');
  const tail = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `${build.status}${reason === '' ? '' : `: ${reason}`}${tail}`;
}

/** Writes the failure card to standard error, with its excerpt of the log. */
export async function showFailure(session: Session, build: Build, notes: LogNotes): Promise<void> {
  const range = excerptRange(build);
  let excerpt: string[] = [];
  if (range) {
    try {
      excerpt = await fetchLines(session.client, build.id, notes, range);
    } catch (error) {
      // The card is worth showing without it too.
      if (!(error instanceof CidermillError)) throw error;
    }
  }
  session.context.stderr.write(failureCard(build, excerpt, range?.[0] ?? 1, session.style.err));
}
