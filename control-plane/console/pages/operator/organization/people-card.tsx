// People of an organization, and the invitation of another, such as the first owner.

import { useInfiniteQuery } from '@tanstack/react-query';
import UserPlus from 'lucide-react/icons/user-plus';
import { useState } from 'react';
import type { OperatorOrganization } from '../../../../../client/types.js';
import { membersQuery } from '../../../data/operator.js';
import { useSendsMail, useTimeLimit } from '../../../data/session.js';
import { Time } from '../../../design/amounts.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { SecretDialog } from '../../../design/secret.js';
import { Select } from '../../../design/select.js';
import { TextField } from '../../../design/text-field.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { PagedTable } from '../parts/paged-table.js';
import { words } from './words.js';

export function People({ of }: { of: OperatorOrganization }) {
  const w = useWords(words);
  const s = useWords(shared);
  const [invites, setInvites] = useState(false);
  const query = useInfiniteQuery(membersQuery(of.org_id));
  return (
    <Card
      title={w.people}
      flush
      actions={
        <Button small onClick={() => setInvites(true)}>
          {w.invite}
        </Button>
      }
    >
      <PagedTable
        query={query}
        empty={
          <EmptyState icon={<UserPlus />} title={w.noPeople}>
            {w.noPeopleText}
          </EmptyState>
        }
        label={w.people}
        rowKey={(one) => one.user_id}
        columns={[
          { key: 'email', header: w.email, main: true, cell: (one) => one.email },
          { key: 'name', header: w.name, cell: (one) => one.name ?? '' },
          { key: 'role', header: w.role, cell: (one) => s.role[one.role] },
          { key: 'joined', header: w.joined, narrow: true, cell: (one) => <Time at={one.joined_at} /> },
        ]}
      />
      {invites ? <InviteDialog of={of} onClose={() => setInvites(false)} /> : null}
    </Card>
  );
}

const roles = ['owner', 'admin', 'developer'] as const;
type Role = (typeof roles)[number];

function InviteDialog({ of, onClose }: { of: OperatorOrganization; onClose(): void }) {
  const w = useWords(words);
  const inviteTime = useTimeLimit('invite_s');
  const sendsMail = useSendsMail();
  const s = useWords(shared);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>(of.members === 0 ? 'owner' : 'developer');
  const [url, setUrl] = useState<string | null>(null);
  if (url !== null) {
    return (
      <SecretDialog
        title={w.invited}
        label={w.acceptUrl}
        value={url}
        onStored={onClose}
        before={<p>{(sendsMail ? w.invitedMailed : w.invitedUnmailed)(inviteTime)}</p>}
      />
    );
  }
  return (
    <OperationDialog
      open
      title={w.inviteTo(of.name)}
      onOpenChange={onClose}
      operation={{ name: 'member.invite', input: { org: of.org_id, email, role } }}
      action={w.invite}
      onDone={({ accept_url }) => setUrl(accept_url)}
    >
      <TextField name="email" label={w.email} type="email" value={email} onChange={setEmail} required />
      <Select<Role>
        name="role"
        label={w.role}
        value={role}
        options={roles.map((value) => ({ value, label: s.role[value] }))}
        onChange={setRole}
      />
    </OperationDialog>
  );
}
