// A list that the service returns in pages, with its states: loading, failed, empty, and more to load.
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Paged } from '../../../data/operator.js';
import { FailureNote } from '../../../design/failure-note.js';
import { LoadMore } from '../../../design/load-more.js';
import { Skeleton } from '../../../design/skeleton.js';
import { Table, type TableProps } from '../../../design/table.js';
import styles from './parts.module.css';

export interface PagedTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly query: UseInfiniteQueryResult<InfiniteData<Paged<T>>>;
  readonly empty: ReactNode;
}

export function PagedTable<T>({ query, empty, ...table }: PagedTableProps<T>) {
  if (query.isPending) {
    return (
      <Padded>
        <Skeleton lines={6} />
      </Padded>
    );
  }
  if (query.data === undefined) {
    return (
      <Padded>
        <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      </Padded>
    );
  }
  const rows = rowsOf(query);
  if (rows.length === 0) return empty;
  return (
    <>
      <Table {...table} rows={rows} />
      <LoadMore shown={rows.length} query={query} />
    </>
  );
}

export const rowsOf = <T,>({ data }: UseInfiniteQueryResult<InfiniteData<Paged<T>>>): readonly T[] =>
  data?.pages.flatMap((page) => page.data) ?? [];

const Padded = ({ children }: { children: ReactNode }) => <div className={styles.padded}>{children}</div>;

/** Shows the result of one query once it is loaded. */
export function Loaded<T>({
  query,
  lines = 6,
  children,
}: {
  query: {
    readonly isPending: boolean;
    readonly data: T | undefined;
    readonly error: unknown;
    refetch(): unknown;
  };
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <Skeleton lines={lines} />;
  return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
}
