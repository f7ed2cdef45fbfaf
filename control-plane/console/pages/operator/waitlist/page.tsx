// Who waits for Macs.
import { useInfiniteQuery } from '@tanstack/react-query';
import AlarmClock from 'lucide-react/icons/alarm-clock';
import { waitlistQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Filters } from '../../../design/filters.js';
import { Page } from '../../../design/page.js';
import { useWords } from '../../../words/use-words.js';
import { Organization } from '../host/slots-card.js';
import { TierFilter } from '../parts/filters.js';
import { PagedTable } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

const parse = ({ tier }: RawSearch) => ({ tier });

export default function WaitlistPage() {
  const w = useWords(words);
  const p = useWords(parts);
  const [filter, setFilter] = useSearchParameters(parse);
  const query = useInfiniteQuery(waitlistQuery(filter as { tier?: string }));
  return (
    <Page title={w.title} lead={w.lead}>
      <Filters>
        <TierFilter value={filter.tier} onChange={(tier) => setFilter({ tier })} />
      </Filters>
      <Card flush>
        <PagedTable
          label={w.title}
          query={query}
          rowKey={(one) => one.id}
          empty={
            <EmptyState icon={<AlarmClock />} title={w.emptyTitle}>
              {w.empty}
            </EmptyState>
          }
          columns={[
            {
              key: 'org',
              header: p.organization,
              main: true,
              cell: (one) => <Organization of={one.organization} />,
            },
            { key: 'tier', header: p.tier, cell: (one) => one.tier },
            { key: 'macs', header: w.macs, numeric: true, cell: (one) => one.units },
            {
              key: 'status',
              header: p.status,
              narrow: true,
              cell: (one) => <Badge tone={one.status === 'waiting' ? 'warn' : 'info'}>{w.states[one.status]}</Badge>,
            },
            { key: 'since', header: w.since, narrow: true, cell: (one) => <Time at={one.created_at} /> },
            {
              key: 'notified',
              header: w.notified,
              narrow: true,
              cell: (one) => (one.notified_at === null ? '' : <Time at={one.notified_at} />),
            },
          ]}
        />
      </Card>
    </Page>
  );
}
