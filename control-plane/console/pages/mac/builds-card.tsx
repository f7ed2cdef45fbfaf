import { useQuery } from '@tanstack/react-query';
import Hammer from 'lucide-react/icons/hammer';
import type { ListedBuild, RentalDetail } from '../../../../client/types.js';
import { BuildBadge } from '../../builds/build-badge.js';
import { buildsOfMacQuery } from '../../data/macs.js';
import { useOrganization } from '../../data/session.js';
import { RelativeTime } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { Skeleton } from '../../design/skeleton.js';
import { useWords } from '../../words/use-words.js';
import styles from './mac.module.css';
import { words } from './words.js';

/** The last builds on the Mac, and how many wait for it. */
export function BuildsCard({ rentalId, mac }: { rentalId: string; mac: RentalDetail | null }) {
  const w = useWords(words);
  const query = useQuery(buildsOfMacQuery(useOrganization(), rentalId));
  const builds = query.data?.builds;
  return (
    <Card
      title={w.builds}
      flush
      actions={
        builds && builds.length > 0 ? (
          <Link to="/o/$org/builds" search={{ rental_id: rentalId }}>
            {w.allBuilds}
          </Link>
        ) : null
      }
    >
      {builds ? null : (
        <div className={styles.inside}>
          {query.error ? (
            <FailureNote error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            <Skeleton lines={3} />
          )}
        </div>
      )}
      {builds?.length === 0 ? (
        <EmptyState icon={<Hammer />} title={w.noBuilds}>
          {mac ? w.noBuildsText : null}
        </EmptyState>
      ) : null}
      {builds && builds.length > 0 ? (
        <ul className={styles.builds}>
          {builds.map((build) => (
            <BuildRow key={build.id} build={build} />
          ))}
        </ul>
      ) : null}
      {mac && mac.state !== 'reserved' ? (
        <p className={styles.bar}>
          {w.waitingFor(mac.queued_builds)} {mac.queued_builds > 0 ? <Link to="/o/$org/queue">{w.queue}</Link> : null}
        </p>
      ) : null}
    </Card>
  );
}

function BuildRow({ build }: { build: ListedBuild }) {
  const at = build.timings.ended_at ?? build.timings.started_at ?? build.timings.created_at;
  const place = [build.repo ?? build.repo_url, build.ref].filter(Boolean).join(' @ ');
  return (
    <li className={styles.build}>
      <BuildBadge build={build} />
      <Link to="/o/$org/builds/$build_id" params={{ build_id: build.id }} className={styles.what}>
        {place === '' ? build.script_excerpt.split('\n', 1)[0] || build.id : place}
      </Link>
      <span className={styles.when}>
        <RelativeTime at={at} />
      </span>
    </li>
  );
}
