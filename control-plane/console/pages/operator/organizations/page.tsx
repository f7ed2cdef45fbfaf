// All organizations.
import { useInfiniteQuery } from '@tanstack/react-query';
import Users from 'lucide-react/icons/users';
import { useState } from 'react';
import { organizationsQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { Bytes, Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Filters, SearchField } from '../../../design/filters.js';
import { Link, useGo } from '../../../design/link.js';
import { Page } from '../../../design/page.js';
import { TextField } from '../../../design/text-field.js';
import { useWords } from '../../../words/use-words.js';
import { AnyOf } from '../parts/filters.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { PagedTable } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

const parse = ({ q, status }: RawSearch) => ({ q, status });

export default function OrganizationsPage() {
  const w = useWords(words);
  const p = useWords(parts);
  const [filter, setFilter] = useSearchParameters(parse);
  const query = useInfiniteQuery(organizationsQuery(filter as { q?: string; status?: string }));
  const [creates, setCreates] = useState(false);
  const filtered = filter.q !== undefined || filter.status !== undefined;
  return (
    <Page
      title={w.title}
      actions={
        <Button variant="primary" onClick={() => setCreates(true)}>
          {w.create}
        </Button>
      }
    >
      <Filters>
        <SearchField label={w.search} value={filter.q ?? ''} onChange={(q) => setFilter({ q })} />
        <AnyOf
          label={p.status}
          any={p.anyStatus}
          value={filter.status}
          options={(['active', 'suspended', 'closed'] as const).map((value) => ({
            value,
            label: w.states[value],
          }))}
          onChange={(status) => setFilter({ status })}
        />
      </Filters>
      <Card flush>
        <PagedTable
          label={w.title}
          query={query}
          rowKey={(one) => one.org_id}
          empty={
            <EmptyState icon={<Users />} title={filtered ? w.noMatch : w.emptyTitle}>
              {filtered ? null : w.empty}
            </EmptyState>
          }
          columns={[
            {
              key: 'name',
              header: w.name,
              main: true,
              cell: (one) => (
                <Link to="/operator/organizations/$org_id" params={{ org_id: one.org_id }}>
                  {one.name}
                </Link>
              ),
            },
            { key: 'slug', header: w.slug, cell: (one) => one.slug },
            {
              key: 'status',
              header: p.status,
              cell: (one) => <OrganizationStatus status={one.status} blocked={one.payments_blocked} />,
            },
            { key: 'people', header: w.people, numeric: true, cell: (one) => one.members },
            { key: 'macs', header: w.macs, numeric: true, cell: (one) => one.macs },
            {
              key: 'storage',
              header: w.storage,
              numeric: true,
              narrow: true,
              cell: (one) => <Bytes value={one.stored_bytes} />,
            },
            { key: 'created', header: w.created, narrow: true, cell: (one) => <Time at={one.created_at} /> },
          ]}
        />
      </Card>
      {creates ? <CreateDialog onClose={() => setCreates(false)} /> : null}
    </Page>
  );
}

export function OrganizationStatus({
  status,
  blocked,
}: {
  status: 'active' | 'suspended' | 'closed';
  blocked: boolean;
}) {
  const w = useWords(words);
  return (
    <>
      <Badge tone={status === 'active' ? 'good' : 'warn'}>{w.states[status]}</Badge>{' '}
      {blocked ? <Badge tone="bad">{w.blocked}</Badge> : null}
    </>
  );
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const w = useWords(words);
  const go = useGo();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  return (
    <OperationDialog
      open
      title={w.create}
      onOpenChange={onClose}
      operation={{ name: 'org.create', input: { name, ...(slug === '' ? {} : { slug }) } }}
      action={w.create}
      onDone={({ org_id }) => {
        onClose();
        go({ to: '/operator/organizations/$org_id', params: { org_id } });
      }}
    >
      <p>{w.createText}</p>
      <TextField name="name" label={w.name} value={name} onChange={setName} required />
      <TextField
        name="slug"
        label={w.slug}
        note={w.slugNote}
        value={slug}
        onChange={setSlug}
        required={false}
        spellCheck={false}
      />
    </OperationDialog>
  );
}
