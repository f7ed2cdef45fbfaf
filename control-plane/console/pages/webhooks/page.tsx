// `/o/:org/webhooks`: addresses that get events of builds.
import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import WebhookIcon from 'lucide-react/icons/webhook';
import { useState } from 'react';
import type { Webhook } from '../../../../client/types.js';
import { useOrganization } from '../../data/session.js';
import { webhooksQuery } from '../../data/webhooks.js';
import { RelativeTime } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { Link } from '../../design/link.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { type Column, Table } from '../../design/table.js';
import { usePageAction } from '../../page-actions.js';
import { useEventName } from '../../words/event-names.js';
import { useWords } from '../../words/use-words.js';
import { CreateWebhookDialog } from './create-dialog.js';
import { WebhookBadge } from './webhook-badge.js';
import { words } from './words.js';

export default function WebhooksPage() {
  const w = useWords(words);
  const place = useOrganization();
  const [creating, setCreating] = useState(false);
  const may = usePageAction('createWebhook', () => setCreating(true));
  const query = useQuery(webhooksQuery(place));
  const webhooks = query.data?.webhooks ?? [];
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden />}
      refused={may ? null : w.needs}
      onClick={() => setCreating(true)}
    >
      {w.add}
    </Button>
  );
  return (
    <Page title={w.title} lead={w.lead} actions={webhooks.length > 0 ? add : undefined}>
      <QueryState query={query} lines={6} />
      {webhooks.length > 0 ? (
        <Card flush>
          <WebhookTable webhooks={webhooks} />
        </Card>
      ) : null}
      {query.data && webhooks.length === 0 ? (
        <Card>
          <EmptyState icon={<WebhookIcon />} title={w.emptyTitle} action={add}>
            <p>{w.emptyText}</p>
            <Code label={w.command}>cidermill webhooks add https://hooks.example.com/builds</Code>
          </EmptyState>
        </Card>
      ) : null}
      {creating ? <CreateWebhookDialog place={place} onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  const w = useWords(words);
  const nameOf = useEventName();
  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      header: w.url,
      main: true,
      cell: ({ id, url }) => (
        <Link to="/o/$org/webhooks/$webhook_id" params={{ webhook_id: id }}>
          {url}
        </Link>
      ),
    },
    { key: 'events', header: w.events, cell: ({ events }) => events.map(nameOf).join(', ') },
    { key: 'status', header: w.status, narrow: true, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
    {
      key: 'created',
      header: w.created,
      narrow: true,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
  ];
  return <Table label={w.title} columns={columns} rows={webhooks} rowKey={({ id }) => id} />;
}
