import type { WebhookDelivery } from '../../../../client/types.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge, type Tone } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { EventName } from '../../design/event-name.js';
import { Row } from '../../design/page.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const tones: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
};

export function DeliveryBadge({ status }: Pick<WebhookDelivery, 'status'>) {
  const w = useWords(words);
  return <Badge tone={tones[status]}>{w.deliveryStatus[status]}</Badge>;
}

export interface DeliveryTableProps {
  readonly deliveries: readonly WebhookDelivery[];
  /** Why nothing can be sent again. */
  readonly refused: string | null;
  /** The delivery that is being sent again. */
  readonly pending: string | null;
  onShow(delivery: WebhookDelivery): void;
  onResend(id: string): void;
}

export function DeliveryTable({ deliveries, refused, pending, onShow, onResend }: DeliveryTableProps) {
  const w = useWords(words);
  const columns: Column<WebhookDelivery>[] = [
    { key: 'event', header: w.event, main: true, cell: ({ event_type }) => <EventName type={event_type} /> },
    {
      key: 'status',
      header: w.status,
      narrow: true,
      cell: ({ status }) => <DeliveryBadge status={status} />,
    },
    { key: 'answer', header: w.answer, cell: (delivery) => <Answer delivery={delivery} /> },
    { key: 'attempts', header: w.attempts, numeric: true, narrow: true, cell: ({ attempt }) => attempt },
    {
      key: 'created',
      header: w.sent,
      narrow: true,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    buttonColumn(w.actions, (delivery) => (
      <Row>
        <Button small aria-label={w.showOf(delivery.event_type)} onClick={() => onShow(delivery)}>
          {w.show}
        </Button>
        <Button
          small
          aria-label={w.resendOf(delivery.event_type)}
          refused={refused}
          pending={pending === delivery.id}
          onClick={() => onResend(delivery.id)}
        >
          {w.resend}
        </Button>
      </Row>
    )),
  ];
  return <Table label={w.deliveries} columns={columns} rows={deliveries} rowKey={({ id }) => id} />;
}

function Answer({ delivery }: { delivery: WebhookDelivery }) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow();
  const language = useLanguage();
  const { http_status: status, error_message: error, next_attempt_at: next } = delivery;
  const left = next === null ? 0 : new Date(next).getTime() - now;
  const texts = [
    (error && say(deliveryErrors, language, error)) ?? (status === null ? null : w.http(String(status))),
    left > 0 ? w.next(format.duration(left)) : null,
  ];
  return <>{texts.filter(Boolean).join(' · ')}</>;
}
