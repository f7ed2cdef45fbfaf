// What the chosen Macs cost, and whether there are enough now.
import { useQuery } from '@tanstack/react-query';
import type { Quote } from '../../../../client/types.js';
import { type QuoteWanted, quoteQuery } from '../../data/catalog.js';
import { useOrganization } from '../../data/session.js';
import { classNames } from '../../design/class-names.js';
import { FailureNote } from '../../design/failure-note.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { NoRoom } from './no-room.js';
import styles from './rent.module.css';
import { words } from './words.js';

/** @param showsRoom whether to say that there are too few Macs now */
export function QuoteLines({ wanted, showsRoom }: { wanted: QuoteWanted; showsRoom: boolean }) {
  const quote = useQuery(quoteQuery(useOrganization(), wanted));
  if (quote.error) return <FailureNote error={quote.error} onRetry={() => void quote.refetch()} />;
  const { data } = quote;
  if (!data) return null;
  return (
    <>
      {data.unit_price_won > 0 ? <Price quote={data} isOld={quote.isPlaceholderData} /> : null}
      {data.sales_open && data.available_now < data.units && !quote.isPlaceholderData && showsRoom ? (
        <NoRoom failure={null} wanted={wanted} free={data.available_now} />
      ) : null}
    </>
  );
}

function Price({ quote, isOld }: { quote: Quote; isOld: boolean }) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const days = quote.hours / 24;
  return (
    <div className={classNames(styles.quote, isOld && styles.older)} aria-live="polite" aria-busy={isOld}>
      <span className={styles.line}>{w.line(days, common.macs(quote.units), format.won(quote.unit_price_won))}</span>
      <span className={classNames(styles.line, styles.amount)}>{format.won(quote.amount_won)}</span>
      <span className={styles.total}>{w.total}</span>
      <span className={classNames(styles.total, styles.amount)}>{format.won(quote.amount_won)}</span>
      <span className={styles.vat}>{w.vatIncluded}</span>
    </div>
  );
}
