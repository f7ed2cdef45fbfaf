import { useFormat } from '../words/language.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import { FailureNote } from './failure-note.js';
import styles from './load-more.module.css';

export interface LoadMoreProps {
  /** Entries that are shown. */
  readonly shown: number;
  /** Of `useInfiniteQuery`. */
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    fetchNextPage(): unknown;
  };
}

/** Below a list of which the service returns a page at a time. */
export function LoadMore({ shown, query }: LoadMoreProps) {
  const w = useWords(shared);
  const format = useFormat();
  return (
    <div className={styles.foot}>
      {query.isFetchNextPageError ? <FailureNote error={query.error} /> : null}
      <p role="status">{w.shown(format.number(shown))}</p>
      {query.hasNextPage ? (
        <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {w.loadMore}
        </Button>
      ) : null}
    </div>
  );
}
