// `/o/:org/rent`: the tiers, a quote for what is chosen, the order, and the waitlist.
import { useQuery } from '@tanstack/react-query';
import Monitor from 'lucide-react/icons/monitor';
import { useRef } from 'react';
import { catalogQuery } from '../../data/catalog.js';
import { useSearchParameters } from '../../data/search.js';
import { useOrganization, useSession } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useWords } from '../../words/use-words.js';
import { OrderForm } from './order-form.js';
import styles from './rent.module.css';
import { parseRentSearch } from './search.js';
import { TierCard } from './tier-card.js';
import { words } from './words.js';

export default function RentPage() {
  const w = useWords(words);
  const org = useOrganization();
  const { operator } = useSession().user;
  const catalog = useQuery(catalogQuery(org));
  const [search, setSearch] = useSearchParameters(parseRentSearch);
  const form = useRef<HTMLDivElement>(null);
  const tiers = catalog.data?.tiers;
  const chosen =
    tiers?.find(({ tier }) => tier === search.tier) ??
    tiers?.find((each) => each.sales_open && each.available_now > 0) ??
    tiers?.[0];
  return (
    <Page title={w.title} lead={w.lead}>
      {catalog.error ? <FailureNote error={catalog.error} onRetry={() => void catalog.refetch()} /> : null}
      {catalog.isPending ? <Skeleton lines={8} /> : null}
      {tiers?.length === 0 ? (
        <EmptyState
          icon={<Monitor />}
          title={w.empty}
          action={
            operator ? (
              <LinkButton variant="primary" to="/operator/tiers">
                {w.addTier}
              </LinkButton>
            ) : (
              <Button pending={catalog.isFetching} onClick={() => void catalog.refetch()}>
                {w.reload}
              </Button>
            )
          }
        >
          {operator ? w.emptyOperator : w.emptyText}
        </EmptyState>
      ) : null}
      {tiers && chosen ? (
        <div className={styles.layout}>
          <div className={styles.tiers}>
            {tiers.map((tier) => (
              <TierCard
                key={tier.tier}
                tier={tier}
                chosen={tier.tier === chosen.tier}
                onChoose={() => {
                  setSearch({ tier: tier.tier, xcode: undefined });
                  // On phones the form is below the tiers.
                  form.current?.scrollIntoView({ block: 'nearest' });
                }}
              />
            ))}
          </div>
          <div ref={form} className={styles.order}>
            <OrderForm key={chosen.tier} tier={chosen} search={search} onChange={setSearch} />
          </div>
        </div>
      ) : null}
    </Page>
  );
}
