// `/o/:org/builds`: all builds, with the API's filters in the address.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import Ban from 'lucide-react/icons/ban';
import Hammer from 'lucide-react/icons/hammer';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useState } from 'react';
import type { ListedBuild } from '../../../../client/types.js';
import { BuildBadge } from '../../builds/build-badge.js';
import { BuildName, useBuildName } from '../../builds/build-name.js';
import { CancelDialog } from '../../builds/cancel-dialog.js';
import { failureSummary } from '../../builds/failure-summary.js';
import { useRerun } from '../../builds/use-rerun.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import { buildsQuery, hasEnded } from '../../data/builds.js';
import { useSearchParameters } from '../../data/search.js';
import { type CurrentOrganization, useOrganization } from '../../data/session.js';
import { Duration, RelativeTime } from '../../design/amounts.js';
import { Button, IconButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { type Column, Table } from '../../design/table.js';
import { MacLink } from '../../macs/mac-link.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { Filters } from './filters.js';
import styles from './page.module.css';
import { filterOf, isFiltered, parseBuildSearch } from './search.js';
import { words } from './words.js';

export default function BuildsPage() {
  const w = useWords(words);
  const org = useOrganization();
  const [search, setSearch] = useSearchParameters(parseBuildSearch);
  const query = useInfiniteQuery({
    ...buildsQuery(org, filterOf(search)),
    placeholderData: keepPreviousData,
  });
  const builds = query.data?.pages.flatMap((page) => page.builds) ?? [];
  return (
    <Page title={w.title} lead={w.lead}>
      <Filters org={org} search={search} onChange={setSearch} />
      {query.isError && !query.data ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending || query.data ? (
        <Card flush>
          {query.isPending ? <Skeleton lines={8} /> : null}
          {query.data && builds.length > 0 ? (
            <>
              <Builds org={org} builds={builds} />
              <LoadMore shown={builds.length} query={query} />
            </>
          ) : null}
          {query.data && builds.length === 0 ? (
            <NoBuilds
              filtered={isFiltered(search)}
              onClear={() => setSearch(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
            />
          ) : null}
        </Card>
      ) : null}
    </Page>
  );
}

function Builds({ org, builds }: { org: CurrentOrganization; builds: readonly ListedBuild[] }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const nameOf = useBuildName();
  const rerun = useRerun(org);
  const [cancelling, setCancelling] = useState<ListedBuild | null>(null);
  const columns: readonly Column<ListedBuild>[] = [
    { key: 'build', header: w.build, main: true, cell: (build) => <BuildName build={build} /> },
    { key: 'status', header: w.status, cell: (build) => <State build={build} /> },
    {
      key: 'mac',
      header: w.mac,
      narrow: true,
      cell: ({ rental_public_id: id, rental_name: name }) =>
        id === null ? null : <MacLink id={id} name={name ?? id} />,
    },
    { key: 'ran', header: w.ran, numeric: true, narrow: true, cell: (build) => <Ran build={build} /> },
    {
      key: 'created',
      header: w.created,
      narrow: true,
      cell: (build) => <RelativeTime at={build.timings.created_at} />,
    },
    {
      key: 'actions',
      header: w.actions,
      quiet: true,
      narrow: true,
      cell: (build) => (
        <div className={styles.buttons}>
          {hasEnded(build) ? (
            <IconButton
              label={`${own.rerun}: ${nameOf(build)}`}
              icon={<RotateCw aria-hidden />}
              aria-busy={rerun.pending === build.id}
              onClick={() => (rerun.pending === null ? rerun.run(build.id) : undefined)}
            />
          ) : (
            <IconButton
              label={`${own.cancelBuild}: ${nameOf(build)}`}
              icon={<Ban aria-hidden />}
              onClick={() => setCancelling(build)}
            />
          )}
        </div>
      ),
    },
  ];
  return (
    <>
      <Table label={w.title} columns={columns} rows={builds} rowKey={({ id }) => id} />
      <CancelDialog place={org} build={cancelling} onClose={() => setCancelling(null)} />
    </>
  );
}

/** The status, and in a few words why. */
function State({ build }: { build: ListedBuild }) {
  const own = useWords(buildWords);
  const format = useFormat();
  const language = useLanguage();
  const { failure, end_reason: end } = build;
  const summary = failure && failureSummary(failure, language);
  const said = failure?.fault === 'platform' ? summary?.text : (summary?.quote ?? summary?.text);
  const waits = [
    build.queue_position === null ? null : own.position(build.queue_position),
    build.estimated_wait_s === null
      ? build.wait_reason && textOf(own.wait, build.wait_reason)
      : own.startsIn(format.duration(build.estimated_wait_s * 1_000)),
  ];
  const why =
    build.status === 'queued'
      ? waits.filter(Boolean).join(', ')
      : (said ??
        (end !== null && end !== 'cancelled_by_user' && Object.hasOwn(own.end, end) ? textOf(own.end, end) : ''));
  return (
    <div className={styles.state}>
      <BuildBadge build={build} />
      {why ? <span className={styles.why}>{why}</span> : null}
    </div>
  );
}

function Ran({ build: { timings } }: { build: ListedBuild }) {
  const w = useWords(words);
  const format = useFormat();
  const { started_at: started, ended_at: ended } = timings;
  if (started !== null) return <Duration from={started} to={ended} />;
  return ended === null ? w.queued(format.duration(timings.queue_s * 1_000)) : null;
}

function NoBuilds({ filtered, onClear }: { filtered: boolean; onClear(): void }) {
  const w = useWords(words);
  if (filtered) {
    return <EmptyState icon={<Hammer />} title={w.noMatch} action={<Button onClick={onClear}>{w.clear}</Button>} />;
  }
  return (
    <EmptyState icon={<Hammer />} title={w.none}>
      <p>{w.noneText}</p>
      <div className={styles.command}>
        <Code label={w.noneCommand}>{w.command}</Code>
      </div>
      <p>{w.noneKey}</p>
    </EmptyState>
  );
}
