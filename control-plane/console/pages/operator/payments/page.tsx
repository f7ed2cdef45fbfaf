// Payments and refunds under reconciliation.
import { useInfiniteQuery } from '@tanstack/react-query';
import Landmark from 'lucide-react/icons/landmark';
import { useState } from 'react';
import { paymentsQuery } from '../../../data/operator.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Page } from '../../../design/page.js';
import { useWords } from '../../../words/use-words.js';
import { PagedTable } from '../parts/paged-table.js';
import { SettleDialog } from './settle-dialog.js';
import { useUnsettledColumns } from './unsettled-table.js';
import { words } from './words.js';

export default function PaymentsPage() {
  const w = useWords(words);
  const query = useInfiniteQuery(paymentsQuery);
  const [settling, setSettling] = useState<string | null>(null);
  return (
    <Page title={w.title} lead={w.lead}>
      <Card flush>
        <PagedTable
          label={w.title}
          query={query}
          rowKey={(one) => `${one.kind} ${one.id}`}
          columns={useUnsettledColumns(setSettling)}
          empty={
            <EmptyState icon={<Landmark />} title={w.emptyTitle}>
              {w.empty}
            </EmptyState>
          }
        />
      </Card>
      {settling === null ? null : <SettleDialog id={settling} onClose={() => setSettling(null)} />}
    </Page>
  );
}
