// Metrics in the Prometheus text format: request counts and durations by route and status, and gauges that are read
// on each scrape.

import type { Gauge, GaugeGroup, Measured } from '../app/gauge.js';

export type Metrics = ReturnType<typeof createMetrics>;

const BUCKETS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000];

interface Series {
  counts: number[];
  total: number;
  sumMs: number;
}

/** @param more gauges in addition to those of the process */
export function createMetrics(more: readonly (Gauge | GaugeGroup)[] = []) {
  const series = new Map<string, Series>();
  const gauges: readonly (Gauge | GaugeGroup)[] = [
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory.',
      read: () => ({ '': process.memoryUsage.rss() }),
    },
    {
      name: 'process_uptime_seconds',
      help: 'Seconds since the start.',
      read: () => ({ '': process.uptime() }),
    },
    ...more,
  ];
  return {
    /** Records a response. `route` is the pattern, not the path, to limit the number of series. */
    answered(method: string, route: string, status: number, ms: number): void {
      const labels = `method="${method}",route="${route}",status="${status}"`;
      let one = series.get(labels);
      if (!one) {
        one = { counts: BUCKETS_MS.map(() => 0), total: 0, sumMs: 0 };
        series.set(labels, one);
      }
      one.total++;
      one.sumMs += ms;
      const bucket = BUCKETS_MS.findIndex((most) => ms <= most);
      if (bucket >= 0) one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
    },
    async text(): Promise<string> {
      const lines = [
        '# HELP cidermill_http_request_seconds Time from the first byte of a request to the end of its answer.',
        '# TYPE cidermill_http_request_seconds histogram',
      ];
      for (const [labels, one] of series) lines.push(...histogram(labels, one));
      for (const gauge of gauges) {
        const measured = 'readAll' in gauge ? await gauge.readAll() : [{ ...gauge, values: await gauge.read() }];
        lines.push(...measured.flatMap(linesOf));
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

function linesOf({ name, help, type = 'gauge', values }: Measured): string[] {
  const samples = Object.entries(values).map(
    ([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`,
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

function histogram(labels: string, { counts, total, sumMs }: Series): string[] {
  const name = 'cidermill_http_request_seconds';
  let below = 0;
  const lines = BUCKETS_MS.map((most, i) => {
    below += counts[i] ?? 0;
    return `${name}_bucket{${labels},le="${most / 1000}"} ${below}`;
  });
  return [
    ...lines,
    `${name}_bucket{${labels},le="+Inf"} ${total}`,
    `${name}_sum{${labels}} ${sumMs / 1000}`,
    `${name}_count{${labels}} ${total}`,
  ];
}
