// `/o/:org/billing`: credit, top-ups, the ledger, and what orders cost.
import { useSearchParameters } from '../../data/search.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { EmptyState } from '../../design/empty-state.js';
import { Page } from '../../design/page.js';
import { Tabs } from '../../design/tabs.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { BalanceCard } from './balance-card.js';
import styles from './billing.module.css';
import { LedgerTab } from './ledger-tab.js';
import { OrdersTab } from './orders-tab.js';
import { parseBillingSearch } from './search.js';
import { TopUpCard } from './top-up-card.js';
import { TopUpsTab } from './top-ups-tab.js';
import { words } from './words.js';

export default function BillingPage() {
  const w = useWords(words);
  const { role } = useWords(shared);
  const org = useOrganization();
  const [{ tab }, setSearch] = useSearchParameters(parseBillingSearch);
  if (!useMay(MANAGERS)) {
    return (
      <Page title={w.title}>
        <EmptyState title={w.onlyManagers}>{w.askManagers(role.owner, role.admin)}</EmptyState>
      </Page>
    );
  }
  return (
    <Page title={w.title} lead={w.lead}>
      <div className={styles.cards}>
        <BalanceCard org={org} />
        <TopUpCard org={org} />
      </div>
      <Tabs
        label={w.title}
        value={tab}
        onChange={(next) => setSearch({ tab: next === 'topups' ? undefined : next })}
        tabs={[
          { value: 'topups', label: w.tabs.topups, content: <TopUpsTab org={org} /> },
          { value: 'ledger', label: w.tabs.ledger, content: <LedgerTab org={org} /> },
          { value: 'orders', label: w.tabs.orders, content: <OrdersTab org={org} /> },
        ]}
      />
    </Page>
  );
}
