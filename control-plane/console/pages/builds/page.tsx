// `/o/:org/builds`: all builds, with the API's filters in the address.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import Ban from 'lucide-react/icons/ban';
import Hammer from 'lucide-react/icons/hammer';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useState } from 'react';
import type { ListedBuild } from '../../../../client/types.js';
import { useBuildName } from '../../builds/build-name.js';
import { BuildRows } from '../../builds/build-rows.js';
import { CancelDialog } from '../../builds/cancel-dialog.js';
import { useRerun } from '../../builds/use-rerun.js';
import { words as buildWords } from '../../builds/words.js';
import { buildsQuery, hasEnded } from '../../data/builds.js';
import { useSearchParameters } from '../../data/search.js';
import { type CurrentOrganization, useOrganization } from '../../data/session.js';
import { IconButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { ClearFilters } from '../../design/filters.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
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
  return (
    <>
      <BuildRows
        label={w.title}
        builds={builds}
        actions={(build) =>
          hasEnded(build) ? (
            <IconButton
              label={`${own.rerun}: ${nameOf(build)}`}
              icon={<RotateCw aria-hidden />}
              aria-busy={rerun.pending === build.id}
              onClick={() => rerun.run(build.id)}
            />
          ) : (
            <IconButton
              label={`${own.cancelBuild}: ${nameOf(build)}`}
              icon={<Ban aria-hidden />}
              onClick={() => setCancelling(build)}
            />
          )
        }
      />
      <CancelDialog place={org} build={cancelling} onClose={() => setCancelling(null)} />
    </>
  );
}

function NoBuilds({ filtered, onClear }: { filtered: boolean; onClear(): void }) {
  const w = useWords(words);
  if (filtered) {
    return <EmptyState icon={<Hammer />} title={w.noMatch} action={<ClearFilters onClick={onClear} />} />;
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
