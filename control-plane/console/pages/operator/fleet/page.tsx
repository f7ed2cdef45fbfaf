// The hosts of the service: what is in their slots, what is wrong, and what operators do with them.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import PlugZap from 'lucide-react/icons/plug-zap';
import Server from 'lucide-react/icons/server';
import { useState } from 'react';
import type { FleetHost } from '../../../../../client/types.js';
import { say } from '../../../../../shared/messages/message.js';
import { operatorProblems } from '../../../../../shared/messages/operator-problems.js';
import { fleetQuery, problemsQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { RelativeTime } from '../../../design/amounts.js';
import { Button, LinkButton } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { ClearFilters, Filters, SearchField } from '../../../design/filters.js';
import { Link } from '../../../design/link.js';
import { Note, Page } from '../../../design/page.js';
import { Table } from '../../../design/table.js';
import { useLanguage } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { actionsOf, type HostAction, HostActionDialog } from '../hosts/actions.js';
import { words as hostWords } from '../hosts/words.js';
import { AnyOf, TierFilter } from '../parts/filters.js';
import { PagedTable, rowsOf } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { useColumns } from './columns.js';
import styles from './page.module.css';
import { UpgradeCard } from './upgrade-card.js';
import { words } from './words.js';

const parse = ({ state, tier, q }: RawSearch) => ({ state, tier, q });
const states = [
  'active',
  'away',
  'draining',
  'cordoned',
  'pending',
  'blocked',
  'credential_conflict',
  'macs_failing',
  'disk_low',
  'unhealthy',
  'upgrading',
  'removed',
] as const;

export default function FleetPage() {
  const w = useWords(words);
  const p = useWords(parts);
  const [filter, setFilter] = useSearchParameters(parse);
  const query = useInfiniteQuery(fleetQuery(filter as { state?: string; tier?: string; q?: string }));
  const hosts = rowsOf(query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ action: HostAction; hosts: readonly FleetHost[] } | null>(null);
  const toggle = (id: string, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  const columns = useColumns({
    selected,
    toggle,
    ask: (action, host) => setAsked({ action, hosts: [host] }),
  });
  const counts = new Map(query.data?.pages[0]?.counts.map((one) => [one.state as string, one.hosts]));
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const running = hosts.reduce((sum, host) => sum + host.running.length, 0);
  return (
    <Page
      title={w.title}
      lead={query.data ? w.lead(p.hosts(hosts.length), p.builds(running)) : undefined}
      actions={
        <LinkButton to="/operator/enrollment" variant="primary" icon={<PlugZap aria-hidden />}>
          {w.enroll}
        </LinkButton>
      }
    >
      <Problems />
      <UpgradeCard />
      <Filters>
        <SearchField label={w.search} value={filter.q ?? ''} onChange={(q) => setFilter({ q })} />
        <AnyOf
          label={w.state}
          any={w.anyState}
          value={filter.state}
          options={states
            .filter((state) => counts.has(state) || filter.state === state)
            .map((state) => ({
              value: state,
              label: w.stateWith(p.state[state as 'active'], counts.get(state) ?? 0),
            }))}
          onChange={(state) => setFilter({ state })}
        />
        <TierFilter value={filter.tier} onChange={(tier) => setFilter({ tier })} />
      </Filters>
      <Selection
        hosts={hosts}
        selected={selected}
        setSelected={setSelected}
        ask={(action, of) => setAsked({ action, hosts: of })}
      />
      <Card flush>
        <PagedTable
          label={w.title}
          query={query}
          columns={columns}
          rowKey={(host) => host.host_id}
          selected={(host) => selected.has(host.host_id)}
          empty={
            <NoHosts filtered={filtered} clear={() => setFilter({ state: undefined, tier: undefined, q: undefined })} />
          }
        />
      </Card>
      <HostActionDialog
        action={asked?.action ?? null}
        hosts={asked?.hosts ?? []}
        onClose={() => {
          setAsked(null);
          setSelected(new Set());
        }}
      />
    </Page>
  );
}

function NoHosts({ filtered, clear }: { filtered: boolean; clear(): void }) {
  const w = useWords(words);
  if (filtered) {
    return (
      <EmptyState icon={<Server />} title={w.noMatch} action={<ClearFilters onClick={clear} />}>
        {w.noMatchText}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Server />}
      title={w.emptyTitle}
      action={
        <LinkButton to="/operator/enrollment" variant="primary">
          {w.enroll}
        </LinkButton>
      }
    >
      {w.empty}
    </EmptyState>
  );
}

function Selection({
  hosts,
  selected,
  setSelected,
  ask,
}: {
  hosts: readonly FleetHost[];
  selected: ReadonlySet<string>;
  setSelected(next: ReadonlySet<string>): void;
  ask(action: HostAction, hosts: readonly FleetHost[]): void;
}) {
  const w = useWords(words);
  const p = useWords(parts);
  const h = useWords(hostWords);
  const chosen = hosts.filter(({ host_id }) => selected.has(host_id));
  if (hosts.length < 2) return null;
  const possible = (action: HostAction) => chosen.filter((host) => actionsOf(host).includes(action));
  return (
    <fieldset className={styles.selection}>
      <legend className="unseen">{w.actions}</legend>
      <Button small onClick={() => setSelected(new Set(hosts.map(({ host_id }) => host_id)))}>
        {w.selectAll}
      </Button>
      {chosen.length === 0 ? null : (
        <>
          <span role="status">{w.selected(p.hosts(chosen.length))}</span>
          {(['drain', 'cordon', 'undrain', 'upgrade', 'remove'] as const)
            .filter((action) => possible(action).length > 0)
            .map((action) => (
              <Button
                key={action}
                small
                variant={action === 'remove' ? 'danger' : 'quiet'}
                onClick={() => ask(action, possible(action))}
              >
                {h.actions[action]}
              </Button>
            ))}
          <Button small variant="link" onClick={() => setSelected(new Set())}>
            {w.clear}
          </Button>
        </>
      )}
    </fieldset>
  );
}

function Problems() {
  const w = useWords(words);
  const language = useLanguage();
  const { data } = useQuery(problemsQuery);
  if (!data || data.problems.length === 0) return null;
  return (
    <Card title={w.problems} flush>
      <Table
        label={w.problems}
        rows={data.problems}
        rowKey={(one) => `${one.kind} ${one.id}`}
        columns={[
          {
            key: 'name',
            header: w.subject,
            main: true,
            cell: (one) =>
              one.kind.startsWith('host.') ? (
                <Link to="/operator/hosts/$host_id" params={{ host_id: one.id }}>
                  {one.name}
                </Link>
              ) : one.kind.startsWith('payment.') ? (
                <Link to="/operator/payments">{w.payment(one.name)}</Link>
              ) : (
                <Link to="/operator/tiers">{w.tier(one.name)}</Link>
              ),
          },
          {
            key: 'reason',
            header: w.problem,
            cell: ({ reason }) => say(operatorProblems, language, reason),
          },
          {
            key: 'since',
            header: w.since,
            narrow: true,
            cell: (one) => (one.since === null ? '' : <RelativeTime at={one.since} />),
          },
        ]}
      />
      {data.total > data.problems.length ? <Note>{w.more(data.total - data.problems.length)}</Note> : null}
    </Card>
  );
}
