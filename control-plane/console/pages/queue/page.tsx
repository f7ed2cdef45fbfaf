// `/o/:org/queue`: what runs and what waits, on a time axis with a lane for each Mac, and as tables.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import Hammer from 'lucide-react/icons/hammer';
import Monitor from 'lucide-react/icons/monitor';
import { type ReactNode, useMemo, useState } from 'react';
import type { AgentMac, AgentQueue, ListedBuild } from '../../../../client/types.js';
import { CancelDialog } from '../../builds/cancel-dialog.js';
import { queueQuery } from '../../data/builds.js';
import { macsOf, macsQuery } from '../../data/macs.js';
import { type CurrentOrganization, useOrganization } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { QueueAxis } from './axis.js';
import { layoutQueue } from './layout.js';
import styles from './page.module.css';
import { RunningBuilds, WaitingBuilds } from './tables.js';
import { words } from './words.js';

export default function QueuePage() {
  const w = useWords(words);
  const org = useOrganization();
  const queue = useQuery(queueQuery(org));
  const pages = useInfiniteQuery(macsQuery(org));
  const macs = macsOf(pages.data);
  const failed = [queue, pages].find((query) => query.isError && !query.data);
  return (
    <Page title={w.title} lead={w.lead}>
      {failed ? <FailureNote error={failed.error} onRetry={() => void failed.refetch()} /> : null}
      {queue.data && macs ? (
        <Queue
          org={org}
          queue={queue.data}
          macs={macs}
          partial={pages.hasNextPage}
          more={pages.hasNextPage ? <LoadMore shown={macs.length} query={pages} /> : null}
        />
      ) : failed ? null : (
        <Skeleton lines={8} />
      )}
    </Page>
  );
}

function Queue({
  org,
  queue,
  macs,
  partial,
  more,
}: {
  org: CurrentOrganization;
  queue: AgentQueue;
  macs: readonly AgentMac[];
  /** There are Macs that are not loaded yet. */
  partial: boolean;
  /** Below the axis. */
  more: ReactNode;
}) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow(10_000);
  const { running, queued } = queue;
  const layout = useMemo(
    () => layoutQueue({ macs, partial, running, queued }, now),
    [macs, partial, running, queued, now],
  );
  const [cancelling, setCancelling] = useState<ListedBuild | null>(null);
  const nothing = running.length + queued.length === 0;
  return (
    <>
      <Card title={w.macs} flush>
        {macs.length === 0 ? (
          <EmptyState
            icon={<Monitor />}
            title={w.noMacs}
            action={
              <LinkButton to="/o/$org/rent" variant="primary">
                {w.rent}
              </LinkButton>
            }
          >
            {w.noMacsText}
          </EmptyState>
        ) : (
          <>
            <QueueAxis layout={layout} />
            {more}
          </>
        )}
        {queued.length > 0 && macs.length > 0 ? <p className={styles.basis}>{w.basis[queue.estimate_basis]}</p> : null}
      </Card>
      {nothing ? (
        <Card>
          <EmptyState icon={<Hammer />} title={w.empty}>
            <p>{w.emptyText}</p>
            <div className={styles.command}>
              <Code label={w.commandName}>{w.command}</Code>
            </div>
          </EmptyState>
        </Card>
      ) : (
        <>
          <Card title={w.running(format.number(queue.running_count))} flush>
            <RunningBuilds builds={running} onCancel={setCancelling} />
          </Card>
          <Card title={w.waiting(format.number(queue.queued_count))} flush>
            <WaitingBuilds org={org} builds={queued} onCancel={setCancelling} />
          </Card>
        </>
      )}
      <CancelDialog place={org} build={cancelling} onClose={() => setCancelling(null)} />
    </>
  );
}
