// `/o/:org`: the Macs, queue and builds of the organization, and what to do next.
import { useQuery } from '@tanstack/react-query';
import ShoppingCart from 'lucide-react/icons/shopping-cart';
import { useMay, useOrganization } from '../../data/session.js';
import { statusQuery } from '../../data/status.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Columns, Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useWords } from '../../words/use-words.js';
import { AttentionCard } from './attention-card.js';
import { BuildsCard } from './builds-card.js';
import { Checklist } from './checklist.js';
import { useHidden } from './checklist-data.js';
import { MacsCard } from './macs-card.js';
import { newestBuild } from './newest-build.js';
import { QueueCard } from './queue-card.js';
import { UsageCard } from './usage-card.js';
import { words } from './words.js';

export default function OverviewPage() {
  const w = useWords(words);
  const org = useOrganization();
  const mayRent = useMay(['owner', 'admin']);
  const status = useQuery(statusQuery(org));
  const [hidden, hide] = useHidden(org.id);
  // Without Macs, the list of Macs has the button.
  const rent =
    mayRent && status.data && status.data.macs.length > 0 ? (
      <LinkButton to="/o/$org/rent" icon={<ShoppingCart aria-hidden />}>
        {w.rent}
      </LinkButton>
    ) : null;
  return (
    <Page title={w.title} actions={rent}>
      {status.error ? <FailureNote error={status.error} onRetry={() => void status.refetch()} /> : null}
      {status.isPending ? (
        <Card>
          <Skeleton lines={8} />
        </Card>
      ) : null}
      {status.data ? (
        <>
          <Checklist status={status.data} hidden={hidden} hide={hide} />
          <AttentionCard status={status.data} />
          <Columns even>
            <MacsCard macs={status.data.macs} anyWaits={status.data.queue.queued_count > 0} />
            <QueueCard
              queue={status.data.queue}
              macs={status.data.macs.length}
              hasBuilds={status.data.last_builds.length > 0}
            />
          </Columns>
          {status.data.last_builds.length > 0 || (hidden && !newestBuild(status.data)) ? (
            <BuildsCard builds={status.data.last_builds} />
          ) : null}
          <UsageCard />
        </>
      ) : null}
    </Page>
  );
}
