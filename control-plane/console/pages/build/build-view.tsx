// One build: how far it is, why it failed, its log, artifacts, events and details. The same for a member and for
// somebody with a link, who has no actions and no other pages.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Hammer from 'lucide-react/icons/hammer';
import ScrollText from 'lucide-react/icons/scroll-text';
import { type ReactNode, useMemo, useRef } from 'react';
import type { Build, LogLine } from '../../../../client/types.js';
import { BuildBadge, useStatusText } from '../../builds/build-badge.js';
import { BuildRevision, useBuildName } from '../../builds/build-name.js';
import { titleOf } from '../../builds/source.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import type { BuildSource } from '../../data/build-source.js';
import { buildQuery, hasEnded } from '../../data/builds.js';
import { Failure } from '../../data/failure.js';
import type { Place } from '../../data/place.js';
import { forgetKeys } from '../../data/queries.js';
import type { RawSearch } from '../../data/raw-search.js';
import { useSearchParameters } from '../../data/search.js';
import { RelativeTime } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { CopyButton } from '../../design/copy-button.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { useStatusIcon } from '../../design/status-icon.js';
import { Tabs } from '../../design/tabs.js';
import { LogViewer, type LogViewerHandle } from '../../log/log-viewer.js';
import { apiLogSource } from '../../log/source.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { Artifacts } from './artifacts.js';
import { Details } from './details.js';
import { Events } from './events.js';
import { FailureCard } from './failure-card.js';
import styles from './page.module.css';
import { RunBar } from './run-bar.js';
import { words } from './words.js';

export interface BuildViewProps {
  /** Keep it: another source is another log. */
  readonly source: BuildSource;
  readonly id: string;
  /** The organization; null for somebody with a link. */
  readonly place: Pick<Place, 'id'> | null;
  readonly crumbs?: ReactNode;
  readonly actions?: (build: Build) => ReactNode;
  /** Root address of the host on which `repo` lies. */
  readonly codeHost: string;
  /** Shown in place of a build that does not exist. */
  readonly missing: ReactNode;
}

export function BuildView({ source, id, place, crumbs, actions, codeHost, missing }: BuildViewProps) {
  const w = useWords(words);
  const nameOf = useBuildName();
  const statusOf = useStatusText();
  const query = useQuery(buildQuery(source, id));
  const build = query.data;
  useStatusIcon(build?.status ?? null);
  if (query.error instanceof Failure && query.error.status === 404) return missing;
  if (!build) {
    return (
      <Page title={w.id} crumbs={crumbs}>
        <QueryState query={query} lines={8} />
      </Page>
    );
  }
  // The same as in the list. What it is built from is shown below, unless that is the title.
  const name = nameOf(build);
  const title = cut(titleOf({ ...build, script_excerpt: build.script })) || name;
  return (
    <Page
      title={title}
      tab={`${statusOf(build)} · ${title}`}
      lead={<Lead build={build} name={title === name ? null : name} codeHost={codeHost} />}
      crumbs={crumbs}
      actions={actions?.(build)}
    >
      {query.isError ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : null}
      <Content source={source} build={build} place={place} readAt={query.dataUpdatedAt} />
    </Page>
  );
}

/** A command may be one long line. */
const LONGEST_TITLE = 140;
function cut(title: string): string {
  const letters = [...title];
  return letters.length > LONGEST_TITLE ? `${letters.slice(0, LONGEST_TITLE).join('').trimEnd()}…` : title;
}

function Lead({ build, name, codeHost }: { build: Build; name: string | null; codeHost: string }) {
  const w = useWords(words);
  return (
    <div className={styles.lead}>
      <BuildBadge build={build} />
      {name === null ? null : <strong>{name}</strong>}
      <BuildRevision build={build} codeHost={codeHost} />
      <span className={styles.copied}>
        <code>{build.id}</code>
        <CopyButton text={build.id} label={w.copyId} />
      </span>
      <RelativeTime at={build.timings.created_at} />
    </div>
  );
}

const tabs = ['log', 'artifacts', 'events', 'details'] as const;
type Tab = (typeof tabs)[number];

function Content({
  source,
  build,
  place,
  readAt,
}: Pick<BuildViewProps, 'source' | 'place'> & { build: Build; readAt: number }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const [tab, setSearch] = useSearchParameters((raw) => tabs.find((each) => each === raw.tab) ?? 'log');
  const navigate = useNavigate();
  const log = useRef<LogViewerHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const { failure, end_reason: end } = build;
  const why = end !== null && !failure && Object.hasOwn(own.end, end) ? textOf(own.end, end) : null;

  /** The viewer follows the address when it opens. */
  const jump = (first: number, last: number) => {
    if (tab === 'log') log.current?.goTo(first, last);
    else {
      void navigate({
        to: '.',
        search: ((before: RawSearch) => ({ ...before, tab: undefined })) as never,
        hash: `L${first}-L${last}`,
        replace: true,
        resetScroll: false,
      });
    }
    box.current?.scrollIntoView({ block: 'start' });
  };
  const hasLog = build.timings.started_at !== null && build.log_deleted_at === null;
  const contents: Readonly<Record<Tab, { label: ReactNode; content: ReactNode }>> = {
    log: { label: w.log, content: <Log source={source} build={build} handle={log} /> },
    artifacts: { label: w.artifacts, content: <Artifacts source={source} build={build} /> },
    events: { label: w.events, content: place ? <Events place={place} id={build.id} /> : null },
    details: { label: w.details, content: <Details build={build} place={place} /> },
  };
  const shown = tabs.filter((each) => each !== 'events' || place !== null);
  return (
    <>
      <Card flush>
        <RunBar build={build} readAt={readAt} />
        {why === null ? null : <p className={styles.why}>{w.endedBecause(why)}</p>}
      </Card>
      {failure ? <FailureCard source={source} build={build} failure={failure} onJump={hasLog ? jump : null} /> : null}
      <div className={styles.tabs} ref={box}>
        <Tabs<Tab>
          label={w.tabs}
          value={shown.includes(tab) ? tab : 'log'}
          onChange={(next) => setSearch({ tab: next === 'log' ? undefined : next })}
          tabs={shown.map((value) => ({
            value,
            label: contents[value].label,
            content: value === 'log' ? contents.log.content : <Card flush>{contents[value].content}</Card>,
          }))}
        />
      </div>
    </>
  );
}

/** Whether lines may belong to a step that the page does not show yet: the service writes when one begins. */
const beginsStep = ({ steps }: Build, lines: readonly LogLine[]): boolean =>
  lines.some((line) => line.source === 'service' || !('script' in steps));

function Log({
  source,
  build,
  handle,
}: {
  source: BuildSource;
  build: Build;
  handle: React.RefObject<LogViewerHandle | null>;
}) {
  const w = useWords(words);
  const format = useFormat();
  const { id, timings, log_deleted_at: deleted, failure } = build;
  const logSource = useMemo(() => apiLogSource(source, id), [source, id]);
  if (deleted !== null) {
    return (
      <Card>
        <EmptyState icon={<ScrollText />} title={w.logDeleted}>
          {w.logDeletedText(format.date(deleted))}
        </EmptyState>
      </Card>
    );
  }
  if (timings.started_at === null) {
    return (
      <Card>
        <EmptyState icon={<Hammer />} title={hasEnded(build) ? w.neverStarted : w.notStarted} />
      </Card>
    );
  }
  const [first, last] = failure?.log_excerpt_lines ?? [];
  return (
    <LogViewer
      ref={handle}
      source={logSource}
      status={build.status}
      startedAt={timings.started_at}
      onLines={(lines) => (beginsStep(build, lines) ? void forgetKeys(buildQuery(source, id).queryKey) : undefined)}
      failureLines={first === undefined || last === undefined ? null : [first, last]}
    />
  );
}
