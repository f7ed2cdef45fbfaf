import { FailureNote } from './failure-note.js';
import { Skeleton } from './skeleton.js';

export interface QueryStateProps {
  readonly query: {
    readonly error: unknown;
    readonly isPending: boolean;
    /** A further page of a list has failed; the list says so at its end. */
    readonly isFetchNextPageError?: boolean;
    refetch(): Promise<unknown>;
  };
  readonly lines: number;
}

/** Stands where the answer of a query will: that it has failed, or lines of a skeleton. Nothing when it is there. */
export function QueryState({ query, lines }: QueryStateProps) {
  if (query.error && !query.isFetchNextPageError) {
    return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  }
  return query.isPending ? <Skeleton lines={lines} /> : null;
}
