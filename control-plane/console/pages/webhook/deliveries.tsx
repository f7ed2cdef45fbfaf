import { useInfiniteQuery } from '@tanstack/react-query';
import Send from 'lucide-react/icons/send';
import { useState } from 'react';
import type { DeliveryStatus, WebhookDelivery } from '../../../../client/types.js';
import { type RawSearch, useSearchParameters } from '../../data/search.js';
import { deliveriesQuery, useResend } from '../../data/webhooks.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { LoadMore } from '../../design/load-more.js';
import { QueryState } from '../../design/query-state.js';
import { Select } from '../../design/select.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import type { ActionsProps } from './actions.js';
import { DeliveryDialog } from './delivery-dialog.js';
import { DeliveryTable } from './delivery-table.js';
import { ResendDialog } from './resend-dialog.js';
import { words } from './words.js';

const statuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed'];

/** The filter of the deliveries; null: all. */
const parseSearch = ({ status }: RawSearch): { status: DeliveryStatus | null } => ({
  status: statuses.find((each) => each === status) ?? null,
});

export function Deliveries({ place, webhook, refused }: ActionsProps) {
  const w = useWords(words);
  const toast = useToast();
  const [{ status }, setSearch] = useSearchParameters(parseSearch);
  const query = useInfiniteQuery(deliveriesQuery(place, webhook.id, status));
  const resend = useResend(place, webhook.id);
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  const [resending, setResending] = useState(false);
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const whyNot = refused ?? (webhook.status === 'enabled' ? null : w.disabledResend);
  const again = (id: string) => resend.mutate(id, { onSuccess: () => toast.done(w.resent), onError: toast.failed });
  const actions = (
    <>
      <Select
        inline
        label={w.filter}
        value={status ?? 'all'}
        options={[
          { value: 'all', label: w.anyStatus },
          ...statuses.map((value) => ({ value, label: w.deliveryStatus[value] })),
        ]}
        onChange={(next) => setSearch({ status: next === 'all' ? undefined : next })}
      />
      <Button refused={whyNot} onClick={() => setResending(true)}>
        {w.resendMany}
      </Button>
    </>
  );
  return (
    <Card title={w.deliveries} actions={actions} flush>
      <QueryState query={query} lines={5} />
      {deliveries.length > 0 ? (
        <>
          <DeliveryTable
            deliveries={deliveries}
            refused={whyNot}
            pending={resend.isPending ? resend.variables : null}
            onShow={setShown}
            onResend={again}
          />
          <LoadMore shown={deliveries.length} query={query} />
        </>
      ) : null}
      {query.data && deliveries.length === 0 ? (
        <EmptyState icon={<Send />} title={status === null ? w.emptyTitle : w.emptyFiltered}>
          {status === null ? w.emptyText : null}
        </EmptyState>
      ) : null}
      {shown ? (
        <DeliveryDialog
          delivery={shown}
          refused={whyNot}
          onResend={() => {
            again(shown.id);
            setShown(null);
          }}
          onClose={() => setShown(null)}
        />
      ) : null}
      {resending ? <ResendDialog place={place} webhook={webhook} onClose={() => setResending(false)} /> : null}
    </Card>
  );
}
