import { useState } from 'react';
import type { WebhookDelivery } from '../../../../client/types.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import { Time } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { Dialog } from '../../design/dialog.js';
import { Facts } from '../../design/facts.js';
import { Stack } from '../../design/page.js';
import { Tabs } from '../../design/tabs.js';
import { useEventName } from '../../words/event-names.js';
import { useLanguage } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { DeliveryBadge } from './delivery-table.js';
import { words } from './words.js';

export interface DeliveryDialogProps {
  readonly delivery: WebhookDelivery;
  readonly refused: string | null;
  onResend(): void;
  onClose(): void;
}

/** What was sent in the last attempt, and what was answered. */
export function DeliveryDialog({ delivery, refused, onResend, onClose }: DeliveryDialogProps) {
  const w = useWords(words);
  const nameOf = useEventName();
  const language = useLanguage();
  const common = useWords(shared);
  const [tab, setTab] = useState<'request' | 'response'>('request');
  return (
    <Dialog
      title={nameOf(delivery.event_type)}
      open
      onOpenChange={(open) => open || onClose()}
      actions={
        <>
          <Button refused={refused} onClick={onResend}>
            {w.resend}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {common.close}
          </Button>
        </>
      }
    >
      <Stack>
        <Facts
          facts={[
            { label: w.status, value: <DeliveryBadge status={delivery.status} /> },
            { label: w.event, value: <code>{delivery.event_type}</code> },
            { label: w.id, value: <code>{delivery.id}</code> },
            { label: w.eventId, value: <code>{delivery.event_id}</code> },
            { label: w.sent, value: <Time at={delivery.created_at} exact /> },
            delivery.delivered_at !== null && {
              label: w.delivered,
              value: <Time at={delivery.delivered_at} exact />,
            },
            delivery.error_message !== null && {
              label: w.error,
              value: say(deliveryErrors, language, delivery.error_message),
            },
          ]}
        />
        <Tabs<'request' | 'response'>
          label={nameOf(delivery.event_type)}
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: 'request',
              label: w.request,
              content: <Exchange exchange={delivery.request} missing={w.noRequest} />,
            },
            {
              value: 'response',
              label: delivery.http_status === null ? w.response : `${w.response} ${delivery.http_status}`,
              content: <Exchange exchange={delivery.response} missing={w.noResponse} />,
            },
          ]}
        />
      </Stack>
    </Dialog>
  );
}

function Exchange({ exchange, missing }: { exchange: WebhookDelivery['request']; missing: string }) {
  const w = useWords(words);
  if (!exchange) return <p>{missing}</p>;
  const headers = Object.entries(exchange.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack>
      <Code label={w.headers}>{headers.join('\n')}</Code>
      {exchange.body === '' ? <p>{w.emptyBody}</p> : <Code label={w.body}>{indented(exchange.body)}</Code>}
    </Stack>
  );
}

/** JSON with line breaks; any other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
