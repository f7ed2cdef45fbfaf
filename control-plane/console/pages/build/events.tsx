// What happened to the build, and what became of the messages about it.

import { useQuery } from '@tanstack/react-query';
import Bell from 'lucide-react/icons/bell';
import type { BuildEventDelivery } from '../../../../client/types.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import { eventsQuery } from '../../data/builds.js';
import type { Place } from '../../data/place.js';
import { Badge, type Tone } from '../../design/badge.js';
import { EmptyState } from '../../design/empty-state.js';
import { EventName } from '../../design/event-name.js';
import { FailureNote } from '../../design/failure-note.js';
import { Link } from '../../design/link.js';
import { Skeleton } from '../../design/skeleton.js';
import { Timeline } from '../../design/timeline.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './page.module.css';
import { words } from './words.js';

const tones: Readonly<Record<BuildEventDelivery['status'], Tone>> = {
  pending: 'neutral',
  delivered: 'good',
  failed: 'bad',
};

const toneOf = (type: string): Tone =>
  (({ 'build.succeeded': 'good', 'build.failed': 'bad', 'build.stalled': 'warn' }) as const)[type] ?? 'neutral';

export function Events({ place, id }: { place: Pick<Place, 'id'>; id: string }) {
  const w = useWords(words);
  const query = useQuery(eventsQuery(place, id));
  if (query.isPending) return <Skeleton lines={4} />;
  if (!query.data) return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  const { data } = query.data;
  if (data.length === 0) return <EmptyState icon={<Bell />} title={w.noEvents} />;
  return (
    <div className={styles.padded}>
      <Timeline
        label={w.events}
        entries={data.map(({ id, type, at, deliveries }) => ({
          key: id,
          at,
          title: <EventName type={type} />,
          tone: toneOf(type),
          detail:
            deliveries.length === 0 ? (
              w.notSent
            ) : (
              <ul className={styles.deliveries}>
                {deliveries.map((delivery) => (
                  <li key={delivery.id}>
                    <Delivery delivery={delivery} />
                  </li>
                ))}
              </ul>
            ),
        }))}
      />
    </div>
  );
}

function Delivery({ delivery }: { delivery: BuildEventDelivery }) {
  const w = useWords(words);
  const language = useLanguage();
  const { webhook_id: webhook, status, attempt, http_status: code, error_message: error } = delivery;
  const facts = [
    attempt > 0 ? w.attempts(attempt) : null,
    code === null ? null : `HTTP ${code}`,
    error && say(deliveryErrors, language, error),
  ].filter(Boolean);
  return (
    <>
      <Badge tone={tones[status]}>{w.delivery[status]}</Badge>{' '}
      {webhook === null ? (
        <code>{w.notifyUrl}</code>
      ) : (
        <Link to="/o/$org/webhooks/$webhook_id" params={{ webhook_id: webhook }}>
          <code>{webhook}</code>
        </Link>
      )}{' '}
      <span>{facts.join(' · ')}</span>
    </>
  );
}
