// `/o/:org/webhooks/:webhook_id`: settings of a webhook, and what was delivered.

import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Webhook } from '../../../../client/types.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { webhookQuery } from '../../data/webhooks.js';
import { RelativeTime } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { EventName } from '../../design/event-name.js';
import { Facts } from '../../design/facts.js';
import { Link } from '../../design/link.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { WebhookBadge } from '../webhooks/webhook-badge.js';
import { WebhookActions, WebhookDanger } from './actions.js';
import { Deliveries } from './deliveries.js';
import { words } from './words.js';

export default function WebhookPage() {
  const w = useWords(words);
  const place = useOrganization();
  const may = useMay(MANAGERS);
  const { webhook_id: id = '' } = useParams({ strict: false }) as { webhook_id?: string };
  const query = useQuery(webhookQuery(place, id));
  const webhook = query.data;
  return (
    <Page
      title={webhook ? nameOf(webhook.url) : w.title}
      crumbs={<Link to="/o/$org/webhooks">{w.webhooks}</Link>}
      actions={webhook ? <WebhookActions place={place} webhook={webhook} refused={may ? null : w.needs} /> : undefined}
    >
      <QueryState query={query} lines={8} />
      {webhook ? (
        <>
          <Settings webhook={webhook} />
          <Deliveries place={place} webhook={webhook} refused={may ? null : w.needs} />
          <WebhookDanger place={place} webhook={webhook} refused={may ? null : w.needs} />
        </>
      ) : null}
    </Page>
  );
}

/** The host of an address is enough to recognize it by. */
const nameOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function Settings({ webhook }: { webhook: Webhook }) {
  const w = useWords(words);
  const language = useLanguage();
  const { test } = webhook;
  const status = test.http_status === null ? null : w.http(String(test.http_status));
  return (
    <Card title={w.settings}>
      <Facts
        facts={[
          { label: w.url, value: <code>{webhook.url}</code> },
          { label: w.status, value: <WebhookBadge webhook={webhook} /> },
          {
            label: w.events,
            value: webhook.events.map((event) => (
              <div key={event}>
                <EventName type={event} />
              </div>
            )),
          },
          {
            label: w.lastTest,
            value: test.ok
              ? w.testOk(status ?? '2xx')
              : w.testFailed(
                  (test.error_message && say(deliveryErrors, language, test.error_message)) ?? status ?? w.noAnswer,
                ),
          },
          { label: w.created, value: <RelativeTime at={webhook.created_at} /> },
        ]}
      />
    </Card>
  );
}
