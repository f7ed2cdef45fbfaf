// Renders Macs and the results of changes for people.
import type { AgentMac, Job, ListedBuild, MacProgress, OperationResult, RentalDetail } from '../types.js';
import { formatCount, formatSpan, formatTable, formatTime, formatWon } from './format.js';
import { problemOf } from './said.js';
import { printable } from './terminal.js';

type ShownMac = AgentMac & { current_build?: ListedBuild | null; queued_builds?: number };

/** The name of a Mac; services of older versions have only its id. */
export const macName = ({ rental_id, name }: { rental_id: string; name?: string }) => printable(name ?? rental_id);

/** A table of Macs in their order. */
export function macsTable(macs: readonly ShownMac[]): string {
  const showBuilds = macs.some((mac) => buildsOf(mac) !== '');
  const heading = ['MAC', 'TIER', 'STATE', 'XCODE', 'LEFT', 'ENDS', 'EXTENSIBLE', 'ID'];
  const rows = macs.map((mac) => [
    macName(mac),
    printable(mac.tier),
    stateText(mac),
    printable(mac.xcode ?? '-'),
    leftText(mac),
    endText(mac),
    mac.can_extend ? `by ${formatCount(mac.max_extend_days, 'day')}` : '-',
    printable(mac.rental_id),
    buildsOf(mac),
  ]);
  return formatTable(showBuilds ? [...heading, 'BUILDS'] : heading, rows);
}

/** The build that runs on it, and how many wait for this Mac alone. */
function buildsOf({ current_build, queued_builds = 0 }: ShownMac): string {
  const parts = current_build ? [printable(current_build.id)] : [];
  return [...parts, ...(queued_builds > 0 ? [`${queued_builds} waiting`] : [])].join(', ');
}

/** `preparing (fetching the image 49 %, 12.3 of 25.1 GB)`, `preparing (cannot be made: disk_full)`. */
function stateText({ state, progress, problem }: AgentMac): string {
  // Older services do not say them.
  if (problem) return `${printable(state)} (cannot be made: ${printable(problem.code)})`;
  return state === 'preparing' && progress ? `${printable(state)} (${progressText(progress)})` : printable(state);
}

const GB = 1e9;

const STEPS: Readonly<Record<string, string>> = {
  remove: 'removing the old machine',
  image: 'fetching the image',
  create: 'creating the machine',
  empty_work: 'emptying the work folders',
  xcode: 'selecting Xcode',
  runtimes: 'installing simulator runtimes',
  tools: 'installing tools',
};

/** Newer services may have other steps. */
const stepText = (step: string): string => STEPS[step] ?? printable(step);

/** `creating the machine 40 %`; of an image that is fetched, its own percent, and bytes. */
function progressText({ step, percent, image }: MacProgress): string {
  if (!image) return `${stepText(step)} ${Math.round(percent)} %`;
  const { bytes, total_bytes: total } = image;
  const size = bytes === null || total === null ? '' : `, ${(bytes / GB).toFixed(1)} of ${(total / GB).toFixed(1)} GB`;
  return `${stepText(step)} ${Math.round(image.percent)} %${size}`;
}

/** A Mac granted without an end has no remaining time. */
const leftText = ({ ends_at, remaining_s }: AgentMac) => (ends_at === null ? '-' : formatSpan(remaining_s));

/** Its end; for a reserved Mac its start. */
function endText({ state, starts_at, ends_at }: AgentMac): string {
  if (state === 'reserved') return `begins ${formatTime(starts_at)}`;
  return ends_at === null ? 'no end' : formatTime(ends_at);
}

/** One Mac with its setup, its options, and its last job. */
export function macText(mac: RentalDetail): string {
  const { setup, setup_options: options, op } = mac;
  const extension = mac.can_extend
    ? `by ${formatCount(mac.max_extend_days, 'day')} at most, ${formatWon(mac.quote_hint.amount_won)} a day`
    : 'not now';
  const rows = [
    ['id', printable(mac.rental_id)],
    ['state', stateText(mac)],
    ...(mac.problem
      ? [
          [
            'problem',
            `${printable(problemOf(mac.problem))} Its host keeps trying, since ${formatTime(mac.problem.since)}`,
          ],
        ]
      : []),
    ['tier', printable(mac.tier)],
    [
      'left',
      mac.ends_at === null ? 'no end' : `${leftText(mac)}, ${mac.state === 'reserved' ? '' : 'ends '}${endText(mac)}`,
    ],
    ['extensible', extension],
    ['builds', buildsOf(mac) || 'none'],
    ['Xcode', selection(setup.xcode === null ? [] : [setup.xcode], options.xcode)],
    ['runtimes', selection(setup.runtimes, options.runtimes)],
    ['tools', selection(setup.tools, options.tools)],
    ['last job', op ? jobText(op) : 'none'],
  ];
  return `${macName(mac)}\n${rows.map(([name = '', value]) => `  ${name.padEnd(10)}  ${value}\n`).join('')}`;
}

/** `iOS 18.2 (of iOS 18.2, iOS 17.5)`: what is chosen, and what could be. */
function selection(chosen: readonly string[], options: readonly string[]): string {
  const list = (values: readonly string[]) => values.map((value) => printable(value)).join(', ');
  return `${list(chosen) || 'none'}${options.length === 0 ? '' : ` (of ${list(options)})`}`;
}

const KINDS: Record<Job['kind'], string> = {
  provision: 'preparation',
  reset: 'reset',
  xcode: 'Xcode change',
  setup: 'setup change',
};

/** `op_1, reset of Mac 1: running, creating the machine 40 %`. */
export function jobText(job: Job, withPercent = true): string {
  const kind = KINDS[job.kind] ?? printable(job.kind);
  const what = `${printable(job.job_id)}, ${kind} of ${macName({ ...job, name: job.rental_name })}: ${job.status}`;
  if (job.status === 'queued') return `${what}, waits for the running build`;
  if (job.status === 'failed') {
    const why = [job.error, job.message].filter((part) => part !== null).map((part) => printable(part));
    return `${what}: ${why.join(', ')}`;
  }
  if (job.status !== 'running' || !job.progress) return what;
  const { step, image } = job.progress;
  return `${what}, ${withPercent || image ? progressText(job.progress) : stepText(step)}`;
}

/** `Mac 1 accepted: op_1`, `Mac 1 unchanged`, `Mac 2 rejected: rental_busy, A build is running.`. */
export function resultText({
  rental_id,
  rental_name,
  result,
  reason,
  message,
  job_id,
  status,
}: OperationResult): string {
  const name = macName({ rental_id, name: rental_name });
  if (result === 'rejected') {
    const why = [reason, message].filter((part) => part !== undefined).map((part) => printable(part));
    return `${name} rejected: ${why.join(', ')}`;
  }
  return job_id === undefined ? `${name} ${status ?? 'accepted'}` : `${name} accepted: ${printable(job_id)}`;
}
