// Charts of builds, waits and use.
import { useQuery } from '@tanstack/react-query';
import ChartColumn from 'lucide-react/icons/chart-column';
import type { Throughput } from '../../../../../client/types.js';
import { throughputQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { BarChart } from '../../../design/bar-chart.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Filters } from '../../../design/filters.js';
import { Columns, Note, Page } from '../../../design/page.js';
import { Select } from '../../../design/select.js';
import type { Moment } from '../../../words/format.js';
import { useFormat } from '../../../words/language.js';
import { useNow } from '../../../words/use-now.js';
import { useWords } from '../../../words/use-words.js';
import { Loaded } from '../parts/paged-table.js';
import styles from './page.module.css';
import { words } from './words.js';

const HOUR_MS = 3_600_000;
const ranges = {
  day: { hours: 24, step: 1 },
  week: { hours: 7 * 24, step: 6 },
  month: { hours: 30 * 24, step: 24 },
  quarter: { hours: 90 * 24, step: 7 * 24 },
} as const;
type Range = keyof typeof ranges;

const parse = ({ range }: RawSearch) => ({
  range: range !== undefined && range in ranges ? (range as Range) : ('day' as Range),
});

export default function ThroughputPage() {
  const w = useWords(words);
  const [{ range }, setSearch] = useSearchParameters(parse);
  const { hours, step } = ranges[range];
  // Steps end at whole hours, so that the bars stay while time passes.
  const to = Math.floor(useNow(HOUR_MS) / HOUR_MS + 1) * HOUR_MS;
  const query = useQuery(
    throughputQuery({
      from: new Date(to - hours * HOUR_MS).toISOString(),
      to: new Date(to).toISOString(),
      step: step * 3_600,
    }),
  );
  return (
    <Page title={w.title} lead={w.lead}>
      <Filters>
        <Select
          inline
          label={w.range}
          value={range}
          options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: w.ranges[value] }))}
          onChange={(next) => setSearch({ range: next })}
        />
      </Filters>
      <Loaded query={query} lines={12}>
        {(found) => <Charts found={found} days={hours > 48} />}
      </Loaded>
      <Note>{w.note}</Note>
    </Page>
  );
}

function Charts({ found: { steps, wait_p95_s: p95 }, days }: { found: Throughput; days: boolean }) {
  const w = useWords(words);
  const format = useFormat();
  const timeText = (at: Moment) => (days ? format.day(at) : format.clock(at));
  const total = steps.reduce((sum, step) => sum + step.builds, 0);
  const seconds = (value: number) => format.duration(value * 1_000);
  const percent = (value: number) => format.percent(value / 100);
  const bars = (values: (step: Throughput['steps'][number]) => readonly number[]) =>
    steps.map((step) => ({ at: step.at, values: values(step) }));
  return (
    <>
      <Totals steps={steps} p95={p95} />
      {total === 0 ? (
        <Card>
          <EmptyState icon={<ChartColumn />} title={w.emptyTitle}>
            {w.empty}
          </EmptyState>
        </Card>
      ) : (
        <Card>
          <BarChart
            label={w.builds}
            parts={[w.succeeded, w.failed, w.other]}
            bars={bars((one) => [one.succeeded, one.failed, one.builds - one.succeeded - one.failed])}
            timeText={timeText}
          />
        </Card>
      )}
      <Columns even>
        <Card>
          <BarChart
            label={w.median}
            parts={[w.p50]}
            bars={bars((one) => [one.wait_p50_s ?? 0])}
            empty={total === 0 ? w.emptyTitle : w.noMedian}
            timeText={timeText}
            valueText={seconds}
          />
        </Card>
        <Card>
          <BarChart
            label={w.slowest}
            parts={[w.p95]}
            bars={bars((one) => [one.wait_p95_s ?? 0])}
            empty={total === 0 ? w.emptyTitle : w.noSlowest}
            timeText={timeText}
            valueText={seconds}
          />
        </Card>
        <Card>
          <BarChart
            label={w.macUse}
            parts={[w.use]}
            bars={bars((one) => [Math.round((one.mac_use ?? 0) * 100)])}
            empty={w.noUse}
            timeText={timeText}
            valueText={percent}
          />
        </Card>
        <Card>
          <BarChart
            label={w.slotUse}
            parts={[w.use]}
            bars={bars((one) => [Math.round((one.slot_use ?? 0) * 100)])}
            empty={w.noUse}
            timeText={timeText}
            valueText={percent}
          />
        </Card>
      </Columns>
    </>
  );
}

function Totals({ steps, p95 }: { steps: Throughput['steps']; p95: Throughput['wait_p95_s'] }) {
  const w = useWords(words);
  const format = useFormat();
  const sum = (of: (step: Throughput['steps'][number]) => number) => steps.reduce((all, step) => all + of(step), 0);
  const builds = sum((one) => one.builds);
  const ended = sum((one) => one.succeeded + one.failed);
  const rate = ended === 0 ? '–' : format.percent(sum((one) => one.succeeded) / ended);
  const figures = [
    [w.total, format.number(builds)],
    [w.successRate, rate],
    [w.slowest, p95 === null ? '–' : format.lasted(p95 * 1_000)],
  ] as const;
  return (
    <dl className={styles.totals}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
