// The pictures of docs/scale.md, from the results of runs.
import { escaped, lineChart, svg } from './chart.js';
import { buildCost, type FleetResult, sum } from './results.js';

const AIM_MS = 100;
const embedded = ({ options }: FleetResult) => options.postgres === 0 && options.rate !== null;
const byHosts = (results: readonly FleetResult[]) =>
  results.filter(embedded).sort((a, b) => a.options.hosts - b.options.hosts);
/** Those that took as many builds as they could; without them all. */
const byProcesses = (results: readonly FleetResult[]) => {
  const all = results.filter(({ options }) => options.postgres > 0);
  const most = all.filter(({ options }) => options.rate === null);
  return (most.length > 0 ? most : all).sort((a, b) => a.options.postgres - b.options.postgres);
};
const line = (results: readonly FleetResult[], name: string, of: (result: FleetResult) => number) => ({
  name,
  points: results.map((result) => [result.options.hosts, of(result)] as const),
});

/** Returns the pictures by their file names. */
export function picturesOf(results: readonly FleetResult[]): Record<string, string> {
  const fleets = byHosts(results);
  const clusters = byProcesses(results);
  return {
    'scale-dispatch.svg': lineChart({
      title: 'From an accepted build to its host',
      description: 'Median and 99th percentile of the dispatch by number of hosts, on the embedded database.',
      xLabel: 'connected hosts, two Macs each',
      yLabel: 'ms',
      series: [
        line(fleets, '99th percentile', ({ dispatch }) => dispatch.p99),
        line(fleets, 'median', ({ dispatch }) => dispatch.p50),
        { ...line(fleets, `aim of the 99th: ${AIM_MS} ms`, () => AIM_MS), isLimit: true },
      ],
    }),
    'scale-processor.svg': lineChart({
      title: 'Processor time of one process on the embedded database',
      description: 'Milliseconds of processor time per second by number of hosts: at rest, and with builds.',
      xLabel: 'connected hosts, two Macs each',
      yLabel: 'ms per second (1,000: a whole core)',
      series: [
        line(fleets, 'with builds and reads', ({ load }) => sum(load.processors) / 1_000),
        line(fleets, 'hosts and polls at rest', ({ rest }) => sum(rest.processors) / 1_000),
      ],
    }),
    'scale-memory.svg': lineChart({
      title: 'Memory of one process on the embedded database',
      description: 'Resident memory by number of hosts: without hosts, with hosts, and with long polls as well.',
      xLabel: 'connected hosts, two Macs each',
      yLabel: 'MiB',
      series: [
        line(fleets, 'with hosts and polls', ({ memory }) => memory.withPolls.rss / 2 ** 20),
        line(fleets, 'with hosts', ({ memory }) => memory.withHosts.rss / 2 ** 20),
        line(fleets, 'without hosts', ({ memory }) => memory.empty.rss / 2 ** 20),
      ],
    }),
    ...(clusters.length > 0 ? { 'scale-processes.svg': processes(clusters) } : {}),
    'scale-deployment.svg': deployment(),
  };
}

const BAR = { left: 150, top: 60, height: 22, gap: 14, width: 420 };

/** Processor time of a build by process count, in parts. */
function processes(clusters: readonly FleetResult[]): string {
  const costs = clusters.map((result) => ({ result, ...buildCost(result) }));
  const most = Math.max(1, ...costs.map(({ control, database }) => control + database));
  const bars = costs.flatMap(({ result, control, database }, i) => {
    const y = BAR.top + i * (BAR.height + BAR.gap);
    const width = (value: number) => Math.max(0, (value / most) * BAR.width);
    const { postgres } = result.options;
    const text = `${control.toFixed(1)} + ${database.toFixed(1)} ms, ${result.perSecond.toFixed(0)} builds/s`;
    return [
      `<text class="ink" x="${BAR.left - 12}" y="${y + 15}" text-anchor="end">${postgres} ${postgres === 1 ? 'process' : 'processes'}</text>`,
      `<rect class="a" x="${BAR.left}" y="${y}" width="${width(control).toFixed(1)}" height="${BAR.height}"/>`,
      `<rect class="b" x="${(BAR.left + width(control)).toFixed(1)}" y="${y}" width="${width(database).toFixed(1)}" height="${BAR.height}"/>`,
      `<text class="quiet" x="${(BAR.left + width(control + database) + 8).toFixed(1)}" y="${y + 15}">${escaped(text)}</text>`,
    ];
  });
  const height = BAR.top + costs.length * (BAR.height + BAR.gap) + 40;
  const legend = [
    `<rect class="a" x="${BAR.left}" y="${height - 28}" width="12" height="12"/><text class="quiet" x="${BAR.left + 18}" y="${height - 17}">control plane</text>`,
    `<rect class="b" x="${BAR.left + 130}" y="${height - 28}" width="12" height="12"/><text class="quiet" x="${BAR.left + 148}" y="${height - 17}">PostgreSQL</text>`,
  ];
  const about = {
    title: 'Processor time of a build with several processes',
    description: 'Milliseconds of the control plane and of PostgreSQL for one build, with 1, 2 and 3 processes.',
  };
  return svg({ ...about, width: 820, height }, [...bars, ...legend]);
}

/** How a large installation stands. */
function deployment(): string {
  const box = (x: number, y: number, width: number, shade: string, ...lines: string[]) =>
    [
      `<rect class="${shade} box" x="${x}" y="${y}" width="${width}" height="${24 + 18 * lines.length}" rx="6"/>`,
      ...lines.map(
        (text, i) =>
          `<text class="${i === 0 ? 'ink' : 'quiet'}" x="${x + 12}" y="${y + 24 + 18 * i}">${escaped(text)}</text>`,
      ),
    ].join('\n');
  const arrow = (x1: number, y1: number, x2: number, y2: number) =>
    `<line class="limit" style="stroke-dasharray:none" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
  return svg(
    {
      title: 'A large installation',
      description:
        'Clients and hosts reach a load balancer; behind it are three processes of the control plane, which share a PostgreSQL database with a standby, and a bucket of an object store.',
      width: 760,
      height: 330,
    },
    [
      box(20, 60, 170, 'c', 'People, CI, agents', 'HTTPS, long polls'),
      box(20, 210, 170, 'c', 'Mac hosts', 'a WebSocket each'),
      box(240, 135, 150, 'd', 'Load balancer', 'TLS, /readyz'),
      ...[0, 1, 2].map((i) =>
        box(440, 50 + i * 86, 130, 'a', 'Process', ['runs the workers', 'same secret.key', 'same secret.key'][i] ?? ''),
      ),
      box(620, 90, 120, 'b', 'PostgreSQL', 'and a standby'),
      box(620, 200, 120, 'b', 'Bucket', 'S3-compatible'),
      arrow(190, 95, 240, 150),
      arrow(190, 235, 240, 180),
      ...[0, 1, 2].map((i) => arrow(390, 165, 440, 80 + i * 86)),
      ...[0, 1, 2].map((i) => arrow(570, 80 + i * 86, 620, 120)),
      ...[0, 1, 2].map((i) => arrow(570, 80 + i * 86, 620, 230)),
    ],
  );
}
