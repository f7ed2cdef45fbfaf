import ListOrdered from 'lucide-react/icons/list-ordered';
import type { AgentQueue, ListedBuild } from '../../../../client/types.js';
import { BuildName } from '../../builds/build-name.js';
import { StartsIn } from '../../builds/starts-in.js';
import { words as buildWords, textOf } from '../../builds/words.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { EmptyState } from '../../design/empty-state.js';
import { Note } from '../../design/page.js';
import { Progress } from '../../design/progress.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { A_BUILD } from './a-build.js';
import styles from './overview.module.css';
import { words } from './words.js';

/** More are on the page of the queue. */
const MOST_RUNNING = 8;
/** About as many as there are Macs beside them. */
const waitingBeside = (macs: number) => Math.min(Math.max(macs, 2), 4);

export interface QueueCardProps {
  readonly queue: AgentQueue;
  /** Number of Macs. */
  readonly macs: number;
  /** The page has no other command of a build: there have been builds. */
  readonly hasBuilds: boolean;
}

export function QueueCard({ queue, macs, hasBuilds }: QueueCardProps) {
  const { queue: w, builds } = useWords(words);
  const format = useFormat();
  const running = queue.running.slice(0, MOST_RUNNING);
  const queued = queue.queued.slice(0, waitingBeside(macs));
  const empty = queue.running_count + queue.queued_count === 0;
  const moreRunning = queue.running_count - running.length;
  const moreWaiting = queue.queued_count - queued.length;
  const more = [moreRunning > 0 ? w.moreRunning(moreRunning) : '', moreWaiting > 0 ? w.moreWaiting(moreWaiting) : ''];
  return (
    <Card
      title={w.title}
      flush
      actions={
        empty ? null : (
          <LinkButton variant="link" to="/o/$org/queue">
            {w.all}
          </LinkButton>
        )
      }
    >
      {empty ? (
        <EmptyState icon={<ListOrdered />} title={w.none}>
          <p>{w.noneText}</p>
          {hasBuilds ? <Code label={builds.build}>{A_BUILD}</Code> : null}
        </EmptyState>
      ) : (
        <>
          <p className={styles.counts}>
            {w.counts(format.number(queue.running_count), format.number(queue.queued_count))}
          </p>
          <ul className={styles.list}>
            {running.map((build) => (
              <li key={build.id} className={styles.running}>
                <BuildName build={build} />
                <Running build={build} />
              </li>
            ))}
            {queued.map((build) => (
              <li key={build.id} className={styles.entry}>
                <div className={styles.grow}>
                  <BuildName build={build} />
                </div>
                <Start build={build} hasMacs={macs > 0} />
              </li>
            ))}
          </ul>
          {moreRunning + moreWaiting > 0 ? <p className={styles.counts}>{more.filter(Boolean).join(', ')}</p> : null}
        </>
      )}
    </Card>
  );
}

/** When it starts, or why that is not known; without Macs, their list says it. */
function Start({ build, hasMacs }: { build: ListedBuild; hasMacs: boolean }) {
  const own = useWords(buildWords);
  const { estimated_start_at: at, wait_reason: reason } = build;
  if (at !== null) {
    return (
      <Note>
        <StartsIn at={at} />
      </Note>
    );
  }
  return reason === null || !hasMacs ? null : <Note>{textOf(own.wait, reason)}</Note>;
}

function Running({ build }: { build: ListedBuild }) {
  const { queue: w } = useWords(words);
  const own = useWords(buildWords);
  const format = useFormat();
  const now = useNow();
  const { started_at: startedAt, estimated_end_at: endAt } = build.timings;
  if (startedAt === null) return null;
  const from = Date.parse(startedAt);
  const since = w.since(format.duration(now - from));
  if (endAt === null) return <Progress label={since} value={null} />;
  const left = Date.parse(endAt) - now;
  return (
    <Progress
      label={since}
      value={Math.min(0.97, (now - from) / Math.max(1, left + now - from))}
      text={left > 0 ? own.left(format.about(left)) : own.over(format.about(-left))}
    />
  );
}
