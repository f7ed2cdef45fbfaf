// What a run has measured: as figures to print, and as a record in a file that the page about scale is made from.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Figure } from '../report.js';
import type { FleetOptions } from './options.js';
import type { Lag, Memory } from './probe.js';
import type { Used } from './service.js';

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Times in ms, processor times in microseconds per second. */
export interface FleetResult {
  readonly at: string;
  readonly machine: { cpu: string; cores: number; memory: number; kernel: string; node: string };
  readonly options: FleetOptions;
  readonly connectSeconds: number;
  /** While hosts connect and report their Macs. */
  readonly connecting: Used;
  readonly seconds: number;
  /** Connections of hosts that have ended or were refused. */
  readonly reconnects: number;
  readonly builds: number;
  /** Builds that a host has received. */
  readonly dispatched: number;
  /** Builds that hosts have received more than once. */
  readonly twice: number;
  /** Builds that hosts have received per second of the load. */
  readonly perSecond: number;
  /** Requests that were not answered as they should, */
  readonly failed: number;
  /** and some of them. */
  readonly problems: readonly string[];
  /** From the answer to the submission until the host has the build. */
  readonly dispatch: Spread;
  /** From the submission, with its answer. */
  readonly throughPost: Spread;
  readonly answers: Readonly<Record<string, Spread>>;
  /** From a line that a host has sent until its follower has it. */
  readonly lines: Spread;
  /** Answers to polls during the load. */
  readonly polls: number;
  /** Webhook requests during the load. */
  readonly posts: number;
  readonly lag: Lag;
  readonly memory: { readonly empty: Memory; readonly withHosts: Memory; readonly withPolls: Memory };
  /** With hosts and polls, without builds. */
  readonly rest: Used;
  /** The same, with the reads. */
  readonly reading: Used;
  readonly load: Used;
  readonly databaseBytes: number;
  readonly databaseGrowth: number;
}

export const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

/** Processor time of a build, ms: what is used more than with the reads alone. */
export function buildCost({ reading, load, perSecond }: FleetResult): { control: number; database: number } {
  const more = (of: (used: Used) => number) => (of(load) - of(reading)) / perSecond / 1_000;
  return { control: more(({ processors }) => sum(processors)), database: more(({ database }) => database) };
}

/** Processor time of a host that connects and reports two Macs, ms. */
export const connectCost = ({ connecting, connectSeconds, options }: FleetResult): number =>
  (sum(connecting.processors) * connectSeconds) / options.hosts / 1_000;

export const perHost = ({ memory, options }: FleetResult, of: keyof Memory): number =>
  (memory.withHosts[of] - memory.empty[of]) / options.hosts / 1_024;

export const perPoll = ({ memory, options }: FleetResult, of: keyof Memory): number =>
  options.polls === 0 ? 0 : (memory.withPolls[of] - memory.withHosts[of]) / options.polls / 1_024;

export function figuresOf(result: FleetResult): Figure[] {
  const { dispatch, throughPost, lag, load, reading, rest, lines, options } = result;
  const figure = (name: string, value: number, unit: string): Figure => ({ name, value, unit, ratio: null });
  const cost = buildCost(result);
  return [
    figure('hosts connected and Macs ready', result.connectSeconds, 's'),
    figure('processor time of a connecting host', connectCost(result), 'ms'),
    figure('hosts that had to connect again', result.reconnects, 'times'),
    figure('builds submitted', result.builds, 'builds'),
    figure('builds that a host has received', result.dispatched, 'builds'),
    figure('requests that failed', result.failed, 'requests'),
    figure('builds received', result.perSecond, 'builds/s'),
    figure('dispatch, accepted to received: median', dispatch.p50, 'ms'),
    figure('dispatch, accepted to received: p99', dispatch.p99, 'ms'),
    figure('submitted to received: median', throughPost.p50, 'ms'),
    figure('submitted to received: p99', throughPost.p99, 'ms'),
    ...Object.entries(result.answers).map(([path, times]) => figure(`answer of ${path}: p99`, times.p99, 'ms')),
    ...(lines.count > 0 ? [figure('line of a log to its follower: p99', lines.p99, 'ms')] : []),
    figure('answers to long polls', result.polls, 'answers'),
    figure('webhook requests', result.posts, 'requests'),
    figure('event loop: lag, p99', lag.p99, 'ms'),
    figure('event loop: lag, most', lag.max, 'ms'),
    figure('memory per host, resident', perHost(result, 'rss'), 'KiB'),
    figure('memory per host, referenced', perHost(result, 'used'), 'KiB'),
    ...(options.polls > 0
      ? [
          figure('memory per poll, resident', perPoll(result, 'rss'), 'KiB'),
          figure('memory per poll, referenced', perPoll(result, 'used'), 'KiB'),
        ]
      : []),
    figure('memory in all', result.memory.withPolls.rss / 2 ** 20, 'MiB'),
    figure('processor time at rest', sum(rest.processors) / 1_000, 'ms/s'),
    figure('processor time with reads', sum(reading.processors) / 1_000, 'ms/s'),
    figure('processor time under load', sum(load.processors) / 1_000, 'ms/s'),
    figure('processor time of a build', cost.control, 'ms'),
    ...(options.postgres > 0
      ? [
          figure('processor time of a build, database', cost.database, 'ms'),
          figure('commits of the database', load.commits, 'per s'),
        ]
      : []),
    figure('size of the database', result.databaseBytes / 2 ** 20, 'MiB'),
    figure('written to disk', load.written / 2 ** 20, 'MiB/s'),
  ];
}

/** Adds a result to the file, in place of an earlier one with the same options. */
export function save(file: string, result: FleetResult): void {
  const same = ({ options }: FleetResult) => JSON.stringify(options) === JSON.stringify(result.options);
  const others = readResults(file).filter((one) => !same(one));
  writeFileSync(file, `${JSON.stringify([...others, result], null, 1)}\n`);
}

export function readResults(file: string): FleetResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FleetResult[]) : [];
}
