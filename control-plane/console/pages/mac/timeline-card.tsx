import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MacStateEntry } from '../../../../client/types.js';
import { historyQuery } from '../../data/macs.js';
import { useOrganization, useTimeLimit } from '../../data/session.js';
import type { Tone } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { LoadMore } from '../../design/load-more.js';
import { Note } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { Timeline } from '../../design/timeline.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './mac.module.css';
import { timelineRows } from './timeline.js';
import { words } from './words.js';

const tones: Readonly<Record<string, Tone>> = {
  ready: 'good',
  building: 'info',
  preparing: 'warn',
  resetting: 'warn',
  updating: 'warn',
};
const troubles: ReadonlySet<string> = new Set(['job_failed', 'lost', 'host_lost', 'host_removed', 'repair']);

const toneOf = ({ state, cause }: MacStateEntry): Tone => (troubles.has(cause) ? 'bad' : (tones[state] ?? 'neutral'));

/** The states that the Mac has been in, newest first, with why and for how long. */
export function TimelineCard({ rentalId }: { rentalId: string }) {
  const w = useWords(words);
  const { macState } = useWords(shared);
  const kept = useTimeLimit('mac_states_kept_s');
  const format = useFormat();
  const now = useNow(10_000);
  const query = useInfiniteQuery(historyQuery(useOrganization(), rentalId));
  const entries = query.data?.pages.flatMap((page) => page.entries);
  const [each, setEach] = useState(false);
  const rows = timelineRows(entries ?? [], now, { each });
  const summed = each || rows.some(({ kind }) => kind === 'builds');
  // The API may add states and causes.
  const textOf = (texts: Readonly<Record<string, string>>, name: string) => texts[name] ?? name;
  return (
    <Card
      title={w.timeline}
      flush
      actions={
        summed ? (
          <Button variant="link" onClick={() => setEach(!each)}>
            {each ? w.summedBuilds : w.eachBuild}
          </Button>
        ) : null
      }
    >
      {entries ? null : (
        <div className={styles.inside}>
          <QueryState query={query} lines={4} />
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
              entries={rows.map((row, index) => {
                const key = `${rows.length - index}`;
                const lasted = format.duration(row.lastedMs);
                if (row.kind === 'builds') {
                  const detail = w.builtFor(format.duration(row.buildingMs), lasted);
                  return {
                    key,
                    at: row.from,
                    title: w.buildsInRow(row.builds),
                    detail,
                    tone: 'info' as const,
                  };
                }
                const { entry } = row;
                return {
                  key: `${key} ${entry.at} ${entry.state} ${entry.cause}`,
                  at: entry.at,
                  title: textOf(macState, entry.state),
                  detail:
                    entry.state === 'ended'
                      ? textOf(w.cause, entry.cause)
                      : `${textOf(w.cause, entry.cause)} · ${w.lasted(lasted)}`,
                  tone: toneOf(entry),
                };
              })}
            />
          </div>
          <LoadMore shown={rows.length} query={query} />
        </>
      ) : null}
    </Card>
  );
}
