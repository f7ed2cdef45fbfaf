import { useQuery } from '@tanstack/react-query';
import Hammer from 'lucide-react/icons/hammer';
import type { RentalDetail } from '../../../../client/types.js';
import { BuildRows } from '../../builds/build-rows.js';
import { buildsOfMacQuery } from '../../data/macs.js';
import { useOrganization } from '../../data/session.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { Link } from '../../design/link.js';
import { QueryState } from '../../design/query-state.js';
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
          <QueryState query={query} lines={3} />
        </div>
      )}
      {builds?.length === 0 ? (
        <EmptyState icon={<Hammer />} title={w.noBuilds}>
          {mac ? w.noBuildsText : null}
        </EmptyState>
      ) : null}
      {builds && builds.length > 0 ? <BuildRows label={w.builds} builds={builds} showsMac={false} /> : null}
      {mac && mac.state !== 'reserved' ? (
        <p className={styles.bar}>
          {w.waitingFor(mac.queued_builds)} {mac.queued_builds > 0 ? <Link to="/o/$org/queue">{w.queue}</Link> : null}
        </p>
      ) : null}
    </Card>
  );
}
