// `/o/:org/notices`: messages to the organization, and which of them this person has read.
import { useInfiniteQuery } from '@tanstack/react-query';
import Bell from 'lucide-react/icons/bell';
import { noticesQuery, useMarkRead } from '../../data/notices.js';
import { useOrganization, useSendsMail } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { NoticeCard } from './notice-card.js';
import { words } from './words.js';

export default function NoticesPage() {
  const w = useWords(words);
  const format = useFormat();
  const { id } = useOrganization();
  const query = useInfiniteQuery(noticesQuery(id));
  const mailed = useSendsMail();
  const markRead = useMarkRead(id);
  const notices = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const unread = query.data?.pages[0]?.unread ?? 0;
  const newest = notices[0];
  const markAll =
    newest && unread > 0 ? (
      <Button pending={markRead.isPending} onClick={() => markRead.mutate(newest.id)}>
        {w.markAll}
      </Button>
    ) : undefined;
  return (
    <Page
      title={w.title}
      lead={unread > 0 ? w.unread(format.number(unread)) : mailed ? `${w.lead} ${w.leadMailed}` : w.lead}
      actions={markAll}
      narrow
    >
      {markRead.error ? <FailureNote error={markRead.error} /> : null}
      <QueryState query={query} lines={8} />
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
      {notices.length > 0 ? <LoadMore shown={notices.length} query={query} /> : null}
      {query.data && notices.length === 0 ? (
        <Card>
          <EmptyState icon={<Bell />} title={w.emptyTitle}>
            {w.emptyText}
          </EmptyState>
        </Card>
      ) : null}
    </Page>
  );
}
