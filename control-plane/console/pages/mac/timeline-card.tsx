import { useInfiniteQuery } from '@tanstack/react-query';
import type { MacStateEntry } from '../../../../client/types.js';
import { historyQuery } from '../../data/macs.js';
import { useOrganization, useTimeLimit } from '../../data/session.js';
import type { Tone } from '../../design/badge.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { LoadMore } from '../../design/load-more.js';
import { Note } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { Timeline } from '../../design/timeline.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './mac.module.css';
import { words } from './words.js';

const tones: Readonly<Record<string, Tone>> = {
  ready: 'good',
  building: 'info',
  preparing: 'warn',
  resetting: 'warn',
  updating: 'warn',
};
const troubles: ReadonlySet<string> = new Set(['job_failed', 'lost', 'host_lost', 'host_removed', 'repair']);

const toneOf = ({ state, cause }: MacStateEntry): Tone =>
  troubles.has(cause) ? 'bad' : (tones[state] ?? 'neutral');

/** The states that the Mac has been in, newest first, with why and for how long. */
export function TimelineCard({ rentalId }: { rentalId: string }) {
  const w = useWords(words);
  const kept = useTimeLimit('mac_states_kept_s');
  const format = useFormat();
  const now = useNow(10_000);
  const query = useInfiniteQuery(historyQuery(useOrganization(), rentalId));
  const entries = query.data?.pages.flatMap((page) => page.entries);
  // The API may add states and causes.
  const textOf = (texts: Readonly<Record<string, string>>, name: string) => texts[name] ?? name;
  return (
    <Card title={w.timeline} flush>
      {entries ? null : (
        <div className={styles.inside}>
          {query.error ? (
            <FailureNote error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            <Skeleton lines={4} />
          )}
        </div>
      )}
      {entries?.length === 0 ? (
        <div className={styles.inside}>
          <Note>{w.timelineEmpty(kept)}</Note>
        </div>
      ) : null}
      {entries && entries.length > 0 ? (
        <>
          <div className={styles.inside}>
            <Timeline
              label={w.timeline}
              entries={entries.map((entry, index) => {
                const until = index === 0 ? now : Date.parse(entries[index - 1]?.at ?? entry.at);
                const lasted = w.lasted(format.duration(until - Date.parse(entry.at)));
                return {
                  key: `${entry.at} ${entry.state} ${entry.cause} ${entries.length - index}`,
                  at: entry.at,
                  title: textOf(w.state, entry.state),
                  detail:
                    entry.state === 'ended'
                      ? textOf(w.cause, entry.cause)
                      : `${textOf(w.cause, entry.cause)} · ${lasted}`,
                  tone: toneOf(entry),
                };
              })}
            />
          </div>
          <LoadMore shown={entries.length} query={query} />
        </>
      ) : null}
    </Card>
  );
}
