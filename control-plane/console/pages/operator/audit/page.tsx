// The audit log of all organizations, with filters and export.
import { useInfiniteQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import ScrollText from 'lucide-react/icons/scroll-text';
import type { OperatorAuditEntry } from '../../../../../client/types.js';
import { auditFile, auditQuery } from '../../../data/operator.js';
import { type RawSearch, useSearchParameters } from '../../../data/search.js';
import { Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Filters, SearchField } from '../../../design/filters.js';
import { Link } from '../../../design/link.js';
import { Page } from '../../../design/page.js';
import { TextField } from '../../../design/text-field.js';
import { AuditTarget } from '../../../macs/audit-target.js';
import { useWords } from '../../../words/use-words.js';
import { AnyOf } from '../parts/filters.js';
import { PagedTable } from '../parts/paged-table.js';
import styles from '../parts/parts.module.css';
import { words } from './words.js';

const names = ['org', 'actor', 'action', 'target', 'failed', 'since', 'until'] as const;
type Filter = Partial<Record<(typeof names)[number], string>>;
const day = /^\d{4}-\d{2}-\d{2}$/;
const parse = (raw: RawSearch): Filter =>
  Object.fromEntries(
    names
      .filter((name) => raw[name] !== undefined)
      .filter((name) => (name !== 'since' && name !== 'until') || day.test(raw[name] ?? ''))
      .map((name) => [name, raw[name]]),
  );

export default function AuditPage() {
  const w = useWords(words);
  const [filter, setFilter] = useSearchParameters(parse);
  const query = useInfiniteQuery(auditQuery(filter));
  return (
    <Page
      title={w.title}
      lead={w.lead}
      actions={
        <>
          <DownloadLink href={auditFile(filter, 'csv')} text={w.csv} />
          <DownloadLink href={auditFile(filter, 'jsonl')} text={w.jsonl} />
        </>
      }
    >
      <Filters>
        <SearchField label={w.org} value={filter.org ?? ''} onChange={(org) => setFilter({ org })} />
        <SearchField label={w.actorField} value={filter.actor ?? ''} onChange={(actor) => setFilter({ actor })} />
        <SearchField label={w.actionField} value={filter.action ?? ''} onChange={(action) => setFilter({ action })} />
        <SearchField label={w.targetField} value={filter.target ?? ''} onChange={(target) => setFilter({ target })} />
        <AnyOf
          label={w.result}
          any={w.anyResult}
          value={filter.failed}
          options={[
            { value: 'false', label: w.ok },
            { value: 'true', label: w.failed },
          ]}
          onChange={(failed) => setFilter({ failed })}
        />
        <TextField label={w.since} type="date" value={filter.since ?? ''} onChange={(since) => setFilter({ since })} />
        <TextField label={w.until} type="date" value={filter.until ?? ''} onChange={(until) => setFilter({ until })} />
      </Filters>
      <Card flush>
        <PagedTable
          label={w.title}
          query={query}
          rowKey={keyOf}
          columns={useColumns()}
          empty={
            <EmptyState icon={<ScrollText />} title={w.emptyTitle}>
              {w.empty}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

const keyOf = (one: OperatorAuditEntry) =>
  [one.at, one.action, one.target, one.actor.id, one.result, one.org_id, one.count].join(' ');

const DownloadLink = ({ href, text }: { href: string; text: string }) => (
  <a href={href} download className={styles.download}>
    <Download aria-hidden />
    {text}
  </a>
);

function useColumns() {
  const w = useWords(words);
  return [
    {
      key: 'at',
      header: w.time,
      narrow: true,
      cell: (one: OperatorAuditEntry) => <Time at={one.at} />,
    },
    {
      key: 'action',
      header: w.action,
      main: true,
      cell: (one: OperatorAuditEntry) => <code>{one.action}</code>,
    },
    {
      key: 'who',
      header: w.who,
      cell: ({ actor, ip }: OperatorAuditEntry) => {
        const name = actor.name ?? actor.id;
        const more = [name === null ? null : w.kinds[actor.kind], ip].filter((each) => each !== null);
        return (
          <span className={styles.lines}>
            {name ?? w.kinds[actor.kind]}
            {more.length > 0 ? <span className={styles.muted}>{more.join(' · ')}</span> : null}
          </span>
        );
      },
    },
    {
      key: 'org',
      header: w.org,
      cell: (one: OperatorAuditEntry) =>
        one.org_id === null ? (
          ''
        ) : (
          <Link to="/operator/organizations/$org_id" params={{ org_id: one.org_id }}>
            {one.org_slug}
          </Link>
        ),
    },
    { key: 'target', header: w.target, cell: (one: OperatorAuditEntry) => <AuditTarget {...one} /> },
    {
      key: 'result',
      header: w.result,
      cell: (one: OperatorAuditEntry) => (
        <>
          {one.result === 'ok' ? <Badge tone="good">{w.ok}</Badge> : <Badge tone="bad">{one.result}</Badge>}{' '}
          {one.count > 1 ? w.times(one.count) : ''}
        </>
      ),
    },
  ];
}
