import { useInfiniteQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import ScrollText from 'lucide-react/icons/scroll-text';
import type { CreditEntry } from '../../../../client/types.js';
import { clock } from '../../clock.js';
import { ledgerQuery, readWholeLedger } from '../../data/credit.js';
import { useMutation } from '../../data/mutation.js';
import type { CurrentOrganization } from '../../data/session.js';
import { Money, Time } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { LoadMore } from '../../design/load-more.js';
import { Skeleton } from '../../design/skeleton.js';
import { type Column, Table } from '../../design/table.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import styles from './billing.module.css';
import { ledgerCsv } from './csv.js';
import { words } from './words.js';

export function LedgerTab({ org }: { org: CurrentOrganization }) {
  const w = useWords(words);
  const list = useInfiniteQuery(ledgerQuery(org));
  const columns = useColumns();
  if (list.isPending) return <Skeleton lines={5} />;
  if (!list.data) return <FailureNote error={list.error} onRetry={() => void list.refetch()} />;
  const rows = list.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0) {
    return (
      <Card>
        <EmptyState icon={<ScrollText />} title={w.noEntries}>
          {w.noEntriesText}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card title={w.tabs.ledger} actions={<Export org={org} />} flush>
        <Table label={w.tabs.ledger} columns={columns} rows={rows} rowKey={({ id }) => id} />
      </Card>
      <LoadMore shown={rows.length} query={list} />
    </>
  );
}

/** Saves the whole ledger, not only what is shown. */
function Export({ org }: { org: CurrentOrganization }) {
  const w = useWords(words);
  const toast = useToast();
  const read = useMutation({
    mutationFn: () => readWholeLedger(org),
    onSuccess: (entries) => save(`credit-${org.slug}.csv`, 'text/csv', ledgerCsv(entries)),
    onError: toast.failed,
  });
  return (
    <Button small icon={<Download aria-hidden />} pending={read.isPending} onClick={() => read.mutate()}>
      {w.exportCsv}
    </Button>
  );
}

function useColumns(): Column<CreditEntry>[] {
  const w = useWords(words);
  return [
    { key: 'at', header: w.at, narrow: true, cell: ({ at }) => <Time at={at} /> },
    {
      key: 'what',
      header: w.what,
      main: true,
      cell: ({ kind, order_id, order_no, reason }) => (
        <div>
          {w.kinds[kind]}
          <span className={styles.below}>
            {order_no === null ? (
              (reason ?? <code>{order_id}</code>)
            ) : (
              <Link to="/o/$org/orders/$order_no" params={{ order_no }}>
                <code>{order_no}</code>
              </Link>
            )}
          </span>
        </div>
      ),
    },
    {
      key: 'won',
      header: w.won,
      numeric: true,
      cell: ({ krw }) => (krw === null ? '–' : <Money won={krw} />),
    },
    {
      key: 'change',
      header: w.change,
      numeric: true,
      cell: ({ micro_usd }) => (
        <span className={micro_usd > 0 ? styles.plus : undefined}>
          {micro_usd > 0 ? '+' : ''}
          <Money microUsd={micro_usd} />
        </span>
      ),
    },
    {
      key: 'balance',
      header: w.balance,
      numeric: true,
      cell: ({ balance_usd }) => <Money microUsd={Math.round(Number(balance_usd) * 1_000_000)} />,
    },
  ];
}

/** Saves a text as a file of the browser's downloads. */
function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own reference by then.
  clock.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
