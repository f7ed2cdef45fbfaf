// `/o/:org`: what goes on in the organization.
import { useQuery } from '@tanstack/react-query';
import { useOrganization } from '../../data/session.js';
import { statusQuery } from '../../data/status.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export default function OverviewPage() {
  const w = useWords(words);
  const common = useWords(shared);
  const status = useQuery(statusQuery(useOrganization()));
  return (
    <Page title={w.title}>
      {status.error ? <FailureNote error={status.error} onRetry={() => void status.refetch()} /> : null}
      {status.isPending ? <Skeleton lines={6} /> : null}
      {status.data ? <Card>{common.macs(status.data.macs.length)}</Card> : null}
    </Page>
  );
}
