// `/o/:org/members`: members with their roles and workspaces, and open invitations.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import UserPlus from 'lucide-react/icons/user-plus';
import { useState } from 'react';
import { invitesQuery, membersQuery } from '../../data/members.js';
import { useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { LoadMore } from '../../design/load-more.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { usePageAction } from '../../page-actions.js';
import { useWords } from '../../words/use-words.js';
import type { Doing } from './doing.js';
import { EditDialog } from './edit-dialog.js';
import { InviteDialog } from './invite-dialog.js';
import { InviteTable } from './invite-table.js';
import { MemberTable } from './member-table.js';
import { RemoveDialog } from './remove-dialog.js';
import { RevokeDialog } from './revoke-dialog.js';
import { words } from './words.js';

export default function MembersPage() {
  const w = useWords(words);
  const organization = useOrganization();
  const [doing, setDoing] = useState<Doing | null>(null);
  const may = usePageAction('invite', () => setDoing({ what: 'invite' }));
  const members = useInfiniteQuery(membersQuery(organization));
  const invites = useQuery({ ...invitesQuery(organization), enabled: may });
  const close = () => setDoing(null);
  const list = members.data?.pages.flatMap(({ data }) => data) ?? [];
  const owners = members.data?.pages.at(-1)?.owners ?? 0;
  const open = invites.data?.data ?? [];
  const invite = (
    <Button
      variant="primary"
      icon={<UserPlus aria-hidden />}
      refused={may ? null : w.needs}
      onClick={() => setDoing({ what: 'invite' })}
    >
      {w.invite}
    </Button>
  );
  return (
    <Page title={w.title} lead={w.lead(organization.name)} actions={invite}>
      {members.error && !members.isFetchNextPageError ? (
        <FailureNote error={members.error} onRetry={() => void members.refetch()} />
      ) : null}
      {members.isPending ? <Skeleton lines={6} /> : null}
      {list.length > 0 ? (
        <Card flush>
          <MemberTable members={list} owners={owners} onDo={setDoing} />
          <LoadMore shown={list.length} query={members} />
        </Card>
      ) : null}
      {invites.error ? <FailureNote error={invites.error} onRetry={() => void invites.refetch()} /> : null}
      {open.length > 0 ? (
        <Card title={w.open} flush>
          <InviteTable invites={open} onDo={setDoing} />
        </Card>
      ) : null}
      {doing?.what === 'invite' ? <InviteDialog again={doing.again} onClose={close} /> : null}
      {doing?.what === 'revoke' ? <RevokeDialog invite={doing.invite} onClose={close} /> : null}
      {doing?.what === 'edit' ? <EditDialog member={doing.member} onClose={close} /> : null}
      {doing?.what === 'remove' ? <RemoveDialog member={doing.member} onClose={close} /> : null}
    </Page>
  );
}
