// The calendar of all slots.
import { useInfiniteQuery } from '@tanstack/react-query';
import CalendarDays from 'lucide-react/icons/calendar-days';
import type { CalendarPage as Calendar, SlotOccupation } from '../../../../../client/types.js';
import { calendarQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Filters } from '../../../design/filters.js';
import { Link } from '../../../design/link.js';
import { LoadMore } from '../../../design/load-more.js';
import { Note, Page } from '../../../design/page.js';
import { Select } from '../../../design/select.js';
import { type AxisBar, type AxisLane, TimeAxis } from '../../../design/time-axis.js';
import { useFormat } from '../../../words/language.js';
import { useNow } from '../../../words/use-now.js';
import { useWords } from '../../../words/use-words.js';
import { TierFilter } from '../parts/filters.js';
import { Loaded, rowsOf } from '../parts/paged-table.js';
import { words } from './words.js';

const DAY_MS = 86_400_000;
const spans = ['7', '14', '30', '90'] as const;
type Span = (typeof spans)[number];

const parse = ({ from, days, tier }: RawSearch) => ({
  from: from !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(from) ? from : undefined,
  days: spans.find((one) => one === days) ?? ('14' as Span),
  tier,
});

export default function CalendarPage() {
  const w = useWords(words);
  const [search, setSearch] = useSearchParameters(parse);
  const today = Math.floor(useNow(DAY_MS) / DAY_MS) * DAY_MS;
  const from = search.from === undefined ? today - DAY_MS : Date.parse(search.from);
  const to = from + Number(search.days) * DAY_MS;
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const query = useInfiniteQuery(calendarQuery(search.tier === undefined ? range : { ...range, tier: search.tier }));
  const move = (share: number) => {
    const next = from + Math.round(Number(search.days) * share) * DAY_MS;
    setSearch({ from: new Date(next).toISOString().slice(0, 10) });
  };
  const lanes = useLanes(rowsOf(query), to);
  return (
    <Page title={w.title} lead={w.lead}>
      <Filters>
        <Button onClick={() => move(-0.5)}>{w.earlier}</Button>
        <Button onClick={() => setSearch({ from: undefined })}>{w.today}</Button>
        <Button onClick={() => move(0.5)}>{w.later}</Button>
        <Select
          inline
          label={w.span}
          value={search.days}
          options={spans.map((value) => ({ value, label: w.days(Number(value)) }))}
          onChange={(days) => setSearch({ days })}
        />
        <TierFilter value={search.tier} onChange={(tier) => setSearch({ tier })} />
      </Filters>
      <Loaded query={query} lines={10}>
        {() =>
          lanes.length === 0 ? (
            <Card>
              <EmptyState icon={<CalendarDays />} title={w.emptyTitle}>
                {w.empty}
              </EmptyState>
            </Card>
          ) : (
            <Card flush>
              <TimeAxis label={w.title} from={from} to={to} lanes={lanes} />
              <LoadMore shown={lanes.length} query={query} />
            </Card>
          )
        }
      </Loaded>
      <Note>{w.legend}</Note>
    </Page>
  );
}

function useLanes(hosts: readonly Calendar['data'][number][], to: number): readonly AxisLane[] {
  const w = useWords(words);
  const format = useFormat();
  const barOf = (one: SlotOccupation, at: number): AxisBar => {
    const until = one.ends_at === null ? w.noEnd : format.dateTime(one.ends_at);
    return {
      key: `${one.rental_id ?? one.order_no} ${one.kind} ${at}`,
      from: Date.parse(one.starts_at),
      to: one.ends_at === null ? to : Date.parse(one.ends_at),
      label: one.organization.name,
      title: w.bar(
        w.kinds[one.kind],
        [one.rental_name, one.organization.name].filter(Boolean).join(', '),
        format.dateTime(one.starts_at),
        until,
      ),
      tone: one.kind === 'rental' ? 'info' : one.kind === 'reservation' ? 'neutral' : 'warn',
      expected: one.kind !== 'rental',
      render: (label) =>
        one.order_no === null ? (
          <Link to="/operator/organizations/$org_id" params={{ org_id: one.organization.org_id }}>
            {label}
          </Link>
        ) : (
          <Link to="/operator/orders/$order_no" params={{ order_no: one.order_no }}>
            {label}
          </Link>
        ),
    };
  };
  return hosts.flatMap((host) =>
    host.slots.map((slot) => ({
      key: slot.slot_id,
      label: (
        <Link to="/operator/hosts/$host_id" params={{ host_id: host.host_id }}>
          {w.slot(host.name, slot.position)}
        </Link>
      ),
      bars: slot.occupations.map(barOf),
    })),
  );
}
