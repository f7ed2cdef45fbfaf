// The tables of docs/scale.md, from the results of runs.
import { buildCost, connectCost, type FleetResult, perHost, perPoll, sum } from './results.js';

const KIB = 1_024;
const round = (value: number, digits = 0) => value.toLocaleString('en', { maximumFractionDigits: digits });
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const placeOf = ({ options: { postgres } }: FleetResult) => (postgres === 0 ? 'embedded' : `PostgreSQL, ${postgres}`);

export function measuredTable(results: readonly FleetResult[]): string {
  const worst = ({ answers }: FleetResult) => Math.max(...Object.values(answers).map(({ p99 }) => p99));
  const rows = results.map((result) => {
    const { options, dispatch, lag, memory, rest } = result;
    const cost = buildCost(result);
    return [
      placeOf(result),
      round(options.hosts),
      options.rate === null ? `most: ${round(result.perSecond, 1)}` : round(result.perSecond, 1),
      `${round(options.polls)}, ${options.followers}, ${round(options.webhooks)}`,
      `${round(dispatch.p50, 1)}, ${round(dispatch.p99)} ms`,
      `${round(worst(result))} ms`,
      `${round(lag.p99, 1)}, ${round(lag.max)} ms`,
      `${round(perHost(result, 'rss'))} (${round(perHost(result, 'used'))}) KiB`,
      options.polls === 0 ? '' : `${round(perPoll(result, 'rss'))} (${round(perPoll(result, 'used'))}) KiB`,
      `${round(memory.withPolls.rss / 2 ** 20)} MiB`,
      `${round(sum(rest.processors) / 1_000)} ms/s`,
      cost.database === 0
        ? `${round(cost.control, 1)} ms`
        : `${round(cost.control, 1)} + ${round(cost.database, 1)} ms`,
      `${round(connectCost(result), 1)} ms`,
      `${round(result.databaseGrowth / Math.max(1, result.builds) / KIB)}, ${round((result.load.written - result.reading.written) / Math.max(1, result.perSecond) / KIB)} KiB`,
      `${result.at.slice(0, 10)}${options.quiet ? '' : ', busy'}`,
    ];
  });
  return table(
    [
      'database, processes',
      'hosts',
      'builds/s',
      'polls, followers, webhooks',
      'dispatch: median, p99',
      'slowest endpoint, p99',
      'event loop: p99, most',
      'memory of a host',
      'of a poll',
      'of all processes',
      'processor at rest',
      'of a build',
      'of a connecting host',
      'database grows, disk writes per build',
      'measured',
    ],
    rows,
  );
}

/** A busy hour: builds per Mac. */
const BUILDS_PER_HOUR = 2;
const LOG_BYTES = 200_000;
/** Of a core that a process should use, so that a burst finds room. */
const BUSY_SHARE = 0.5;

/** What fleets need by the figures of one run. */
export function arithmeticTable(result: FleetResult): string {
  const cost = buildCost(result);
  const restMs = sum(result.rest.processors) / 1_000 / result.options.hosts;
  const writes = (result.load.written - result.reading.written) / result.perSecond;
  const emptyMiB = result.memory.empty.rss / 2 ** 20 / Math.max(1, result.options.postgres);
  const rows = [1_000, 10_000, 100_000].map((macs) => {
    const hosts = macs / 2;
    const builds = (macs * BUILDS_PER_HOUR) / 3_600;
    const busyMs = restMs * hosts + cost.control * builds;
    const processes = Math.max(1, Math.ceil(busyMs / 1_000 / BUSY_SHARE));
    const polls = Math.ceil(macs / 4);
    const memory = emptyMiB * processes + (perHost(result, 'rss') * hosts + perPoll(result, 'rss') * polls) / KIB;
    return [
      round(macs),
      round(hosts),
      round(polls),
      round(builds, 1),
      `${round(memory)} MiB`,
      `${round(busyMs)} ms/s`,
      `${round((writes * builds) / KIB)} KiB/s`,
      `${round((LOG_BYTES * builds) / KIB)} KiB/s, ${round((LOG_BYTES * macs * BUILDS_PER_HOUR * 10) / 1e9)} GB a day`,
      String(processes),
    ];
  });
  return table(
    [
      'Macs',
      'links of hosts',
      'open long polls',
      'builds/s',
      'memory',
      'processor time',
      'writes to the database',
      'logs',
      'processes',
    ],
    rows,
  );
}
