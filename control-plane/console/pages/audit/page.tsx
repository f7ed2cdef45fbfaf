// `/o/:org/audit?actor=&action=&failed=&since=&until=`: who did what in the organization, with an export.
import { useInfiniteQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import ScrollText from 'lucide-react/icons/scroll-text';
import { auditFile, auditQuery, parseAuditSearch } from '../../data/audit.js';
import { useSearchParameters } from '../../data/search.js';
import { useMay, useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { ClearFilters } from '../../design/filters.js';
import { LoadMore } from '../../design/load-more.js';
import { Menu, MenuItem } from '../../design/menu.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { useWords } from '../../words/use-words.js';
import { AuditFilterFields } from './audit-filters.js';
import { AuditTable } from './audit-table.js';
import { words } from './words.js';

const NONE = { actor: undefined, action: undefined, failed: undefined, since: undefined, until: undefined };

export default function AuditLogPage() {
  const w = useWords(words);
  const organization = useOrganization();
  const may = useMay(['owner']);
  const [filters, setFilters] = useSearchParameters(parseAuditSearch);
  const query = useInfiniteQuery({ ...auditQuery(organization, filters), enabled: may });
  const entries = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const filtered = Object.values(filters).some((value) => value !== undefined);
  const file = (format: 'csv' | 'jsonl') => (
    <MenuItem render={<a href={auditFile(organization, filters, format)} download={`audit.${format}`} />}>
      {w.formats[format]}
    </MenuItem>
  );
  const exports = (
    <Menu trigger={<Button icon={<Download aria-hidden />}>{w.export}</Button>}>
      {file('csv')}
      {file('jsonl')}
    </Menu>
  );
  if (!may) {
    return (
      <Page title={w.title}>
        <Card>
          <EmptyState icon={<ScrollText />} title={w.needs} />
        </Card>
      </Page>
    );
  }
  return (
    <Page title={w.title} lead={w.lead} actions={exports}>
      <AuditFilterFields filters={filters} onChange={setFilters} />
      <QueryState query={query} lines={8} />
      {entries.length > 0 ? (
        <Card flush>
          <AuditTable entries={entries} onActor={(actor) => setFilters({ actor })} />
          <LoadMore shown={entries.length} query={query} />
        </Card>
      ) : null}
      {query.data && entries.length === 0 ? (
        <Card>
          <EmptyState
            icon={<ScrollText />}
            title={filtered ? w.noneHere : w.emptyTitle}
            action={filtered ? <ClearFilters onClick={() => setFilters(NONE)} /> : undefined}
          >
            {filtered ? null : <p>{w.emptyText}</p>}
          </EmptyState>
        </Card>
      ) : null}
    </Page>
  );
}
