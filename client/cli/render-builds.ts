// Renders builds for people: tables, the queue, why a build waits.
import type { AgentQueue, Build, ListedBuild } from '../types.js';
import { formatSpan, formatTable, formatTime } from './format.js';
import { printable, type Style } from './terminal.js';

/** A short name of a build's source. */
export function sourceOf(build: Build | ListedBuild): string {
  const origin = build.repo ?? build.repo_url ?? build.project ?? '-';
  const point = build.pr !== null ? `#${build.pr}` : (build.ref ?? build.commit?.slice(0, 10) ?? '');
  return printable(point === '' ? origin : `${origin} ${point}`);
}

/** A table of builds, newest first as they come. */
export function buildsTable(builds: readonly ListedBuild[]): string {
  const rows = builds.map((build) => [
    build.id,
    build.status,
    build.exit_code === null ? '' : String(build.exit_code),
    formatTime(build.timings.created_at),
    build.timings.run_s === null ? '' : formatSpan(build.timings.run_s),
    sourceOf(build),
    printable(build.failure?.reason_code ?? ''),
  ]);
  return formatTable(['BUILD', 'STATUS', 'EXIT', 'CREATED', 'RAN', 'SOURCE', 'REASON'], rows);
}

/** Running builds, then waiting ones in the order in which they will start. */
export function queueText(queue: AgentQueue, style: Style): string {
  const counts = `${queue.running_count} running, ${queue.queued_count} waiting\n`;
  if (queue.running.length + queue.queued.length === 0) return counts;
  const rows = [...queue.running, ...queue.queued].map((build) => [
    build.queue_position === null ? '' : String(build.queue_position),
    build.id,
    build.status,
    build.priority === 1 ? 'first' : '',
    sourceOf(build),
    build.status === 'queued'
      ? waitText(build)
      : printable(`on ${build.rental_name ?? build.rental_public_id ?? '-'}`) + leftText(build),
  ]);
  const more = queue.running_count + queue.queued_count - rows.length;
  const rest = more > 0 ? `${more} more: cidermill builds --status active\n` : '';
  return style.bold(counts) + formatTable(['POS', 'BUILD', 'STATUS', 'PRIORITY', 'SOURCE', ''], rows) + rest;
}

const REASONS: Record<string, string> = {
  mac_busy: 'the Macs are busy',
  mac_preparing: 'a Mac is being prepared',
  mac_in_maintenance: 'a Mac is in maintenance',
  pinned_mac_busy: 'its Mac is busy',
  xcode_unavailable: 'no Mac has its Xcode and labels',
  waiting_for_rental: 'waiting for a Mac to be rented',
  concurrency_limit: 'the limit of concurrent builds is reached',
};

/** Estimated remaining time of a running build: `, about 3m05s left`, or an empty string. */
export function leftText({ timings }: Build | ListedBuild): string {
  const { started_at, run_s, estimated_end_at } = timings;
  if (!estimated_end_at || started_at === null || run_s === null) return '';
  const left = (Date.parse(estimated_end_at) - Date.parse(started_at)) / 1000 - run_s;
  return left > 0 ? `, about ${formatSpan(left)} left` : '';
}

/** Why a build waits and for how long, for example `the Macs are busy, at most 12m00s`. */
export function waitText(build: Build | ListedBuild): string {
  const reason = build.wait_reason === null ? '' : (REASONS[build.wait_reason] ?? printable(build.wait_reason));
  const word = build.estimate_basis === 'history' ? 'about' : 'at most';
  const bound = build.estimated_wait_s === null ? '' : `${word} ${formatSpan(build.estimated_wait_s)}`;
  return [reason, bound].filter((part) => part !== '').join(', ');
}
