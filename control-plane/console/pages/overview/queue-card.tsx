import ListOrdered from 'lucide-react/icons/list-ordered';
import type { AgentQueue, ListedBuild } from '../../../../client/types.js';
import { BuildName } from '../../builds/build-name.js';
import { words as buildWords } from '../../builds/words.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { Note } from '../../design/page.js';
import { Progress } from '../../design/progress.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './overview.module.css';
import { words } from './words.js';

/** More are on the page of the queue. */
const SHOWN = 4;

export function QueueCard({ queue }: { queue: AgentQueue }) {
  const { queue: w } = useWords(words);
  const format = useFormat();
  const { running, queued } = queue;
  const empty = queue.running_count + queue.queued_count === 0;
  const more = queue.queued_count - Math.min(SHOWN, queued.length);
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
          {w.noneText}
        </EmptyState>
      ) : (
        <>
          <p className={styles.counts}>
            {w.counts(format.number(queue.running_count), format.number(queue.queued_count))}
          </p>
          <ul className={styles.list}>
            {running.slice(0, SHOWN).map((build) => (
              <li key={build.id} className={styles.running}>
                <BuildName build={build} />
                <Running build={build} />
              </li>
            ))}
            {queued.slice(0, SHOWN).map((build) => (
              <li key={build.id} className={styles.entry}>
                <div className={styles.grow}>
                  <BuildName build={build} />
                </div>
                <Start at={build.estimated_start_at} />
              </li>
            ))}
          </ul>
          {more > 0 ? <p className={styles.counts}>{w.more(more)}</p> : null}
        </>
      )}
    </Card>
  );
}

function Start({ at }: { at: string | null }) {
  const w = useWords(buildWords);
  const format = useFormat();
  const now = useNow();
  return at === null ? null : <Note>{w.startsIn(format.about(Date.parse(at) - now))}</Note>;
}

function Running({ build }: { build: ListedBuild }) {
  const { queue: w } = useWords(words);
  const format = useFormat();
  const now = useNow();
  const { started_at: startedAt, estimated_end_at: endAt } = build.timings;
  if (startedAt === null) return null;
  const from = Date.parse(startedAt);
  const since = w.since(format.duration(now - from));
  if (endAt === null) return <Progress label={since} value={null} />;
  const to = Date.parse(endAt);
  return (
    <Progress
      label={since}
      value={Math.min(0.97, (now - from) / Math.max(1, to - from))}
      {...(to > now ? { text: w.left(format.about(to - now)) } : {})}
    />
  );
}
