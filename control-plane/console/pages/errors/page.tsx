// `/o/:org/errors`: failed requests and builds, and what to do about each.
import { useInfiniteQuery } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import { recordedErrorsQuery } from '../../data/recorded-errors.js';
import { useSearchParameters } from '../../data/search.js';
import { useOrganization } from '../../data/session.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { ClearFilters } from '../../design/filters.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { ErrorList } from './error-list.js';
import { Filters } from './filters.js';
import { parseSearch, periods } from './search.js';
import { words } from './words.js';

const HOUR_MS = 3_600_000;

export default function ErrorsPage() {
  const w = useWords(words);
  const place = useOrganization();
  const now = useNow(60_000);
  const [search, setSearch] = useSearchParameters(parseSearch);
  const { kind, fault, code, period } = search;
  const hours = periods[period];
  const since = () => (hours === null ? null : new Date(now - hours * HOUR_MS).toISOString());
  const query = useInfiniteQuery(recordedErrorsQuery(place, { kind, fault, code }, { period, since }));
  const errors = query.data?.pages.flatMap((page) => page.errors) ?? [];
  const filtered = kind !== null || fault !== null || code !== null || hours !== null;
  const clear = () => setSearch({ kind: undefined, fault: undefined, code: undefined, since: undefined });
  return (
    <Page title={w.title} lead={w.lead}>
      <Filters search={search} onChange={setSearch} />
      <QueryState query={query} lines={8} />
      {errors.length > 0 ? (
        <Card flush>
          <ErrorList errors={errors} />
          <LoadMore shown={errors.length} query={query} />
        </Card>
      ) : null}
      {query.data && errors.length === 0 ? (
        <Card>
          <EmptyState
            icon={<CircleCheck />}
            title={filtered ? w.emptyFiltered : w.emptyTitle}
            action={filtered ? <ClearFilters onClick={clear} /> : undefined}
          >
            {filtered ? null : w.emptyText}
          </EmptyState>
        </Card>
      ) : null}
    </Page>
  );
}
