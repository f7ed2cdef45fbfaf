import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnSession } from '../../../../client/types.js';
import { deviceOf } from '../../data/device.js';
import { ownSessionsQuery, useEndOtherSessions, useEndSession } from '../../data/own-sessions.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Row } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function SessionsCard() {
  const w = useWords(words);
  const toast = useToast();
  const query = useQuery(ownSessionsQuery);
  const end = useEndSession();
  const endOthers = useEndOtherSessions();
  const [ending, setEnding] = useState<OwnSession | 'others' | null>(null);
  const nameOf = ({ user_agent }: OwnSession) => {
    const { browser, system } = deviceOf(user_agent);
    return [browser, system].filter(Boolean).join(' · ') || w.unknownDevice;
  };
  const columns: Column<OwnSession>[] = [
    {
      key: 'device',
      header: w.device,
      main: true,
      cell: (session) => (
        <Row>
          <span title={session.user_agent ?? undefined}>{nameOf(session)}</span>
          {session.current ? <Badge tone="good">{w.thisOne}</Badge> : null}
        </Row>
      ),
    },
    { key: 'ip', header: w.ip, cell: ({ ip }) => ip },
    { key: 'used', header: w.lastUsed, cell: ({ last_used_at }) => <RelativeTime at={last_used_at} /> },
    { key: 'since', header: w.signedIn, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
    buttonColumn(w.actions, (session) =>
      session.current ? null : (
        <Button small aria-label={w.endOf(nameOf(session))} onClick={() => setEnding(session)}>
          {w.end}
        </Button>
      ),
    ),
  ];
  const confirm = (session: OwnSession) =>
    end.mutate(session.id, {
      onSuccess: () => {
        toast.done(w.ended);
        setEnding(null);
      },
    });
  const confirmOthers = () =>
    endOthers.mutate(undefined, {
      onSuccess: () => {
        toast.done(w.othersEnded);
        setEnding(null);
      },
    });
  const hasOthers = query.data?.data.some(({ current }) => !current) ?? false;
  return (
    <Card
      title={w.sessions}
      flush
      actions={
        hasOthers ? (
          <Button small onClick={() => setEnding('others')}>
            {w.endOthers}
          </Button>
        ) : null
      }
    >
      <QueryState query={query} lines={3} />
      {query.data ? (
        <Table label={w.sessions} columns={columns} rows={query.data.data} rowKey={({ id }) => id} />
      ) : null}
      {ending === 'others' ? (
        <ConfirmDialog
          title={w.endOthersTitle}
          open
          onOpenChange={(open) => open || setEnding(null)}
          action={w.endOthers}
          pending={endOthers.isPending}
          error={endOthers.error}
          onConfirm={confirmOthers}
        >
          {w.endOthersText}
        </ConfirmDialog>
      ) : null}
      {ending && ending !== 'others' ? (
        <ConfirmDialog
          title={w.endTitle(nameOf(ending))}
          open
          onOpenChange={(open) => open || setEnding(null)}
          action={w.end}
          pending={end.isPending}
          error={end.error}
          onConfirm={() => confirm(ending)}
        >
          {w.endText}
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}
