import type { Invite, Member } from '../../../../client/types.js';
import { useOrganization } from '../../data/session.js';
import { TimeLeft } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Row } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import type { Doing } from './doing.js';
import { words } from './words.js';

export interface InviteTableProps {
  readonly invites: readonly Invite[];
  readonly members: readonly Member[];
  onDo(doing: Doing): void;
}

export function InviteTable({ invites, members, onDo }: InviteTableProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const { role: own } = useOrganization();
  const inviter = ({ invited_by }: Invite) => {
    if (invited_by === undefined) return w.operator;
    return members.find(({ user_id }) => user_id === invited_by)?.email ?? w.formerMember;
  };
  const refusal = ({ role }: Invite) => (role === 'owner' && own !== 'owner' ? w.needsOwner : null);
  const columns: Column<Invite>[] = [
    { key: 'email', header: w.email, main: true, cell: ({ email }) => email },
    { key: 'role', header: w.role, cell: ({ role }) => common.role[role] },
    { key: 'by', header: w.invitedBy, cell: inviter },
    { key: 'expires', header: w.expiresIn, cell: ({ expires_at }) => <TimeLeft until={expires_at} /> },
    {
      key: 'actions',
      header: w.actions,
      quiet: true,
      narrow: true,
      cell: (invite) => (
        <Row>
          <Button
            small
            refused={refusal(invite)}
            aria-label={w.resendOf(invite.email)}
            onClick={() => onDo({ what: 'invite', again: invite })}
          >
            {w.resend}
          </Button>
          <Button
            small
            refused={refusal(invite)}
            aria-label={w.revokeOf(invite.email)}
            onClick={() => onDo({ what: 'revoke', invite })}
          >
            {w.revoke}
          </Button>
        </Row>
      ),
    },
  ];
  return <Table label={w.open} columns={columns} rows={invites} rowKey={({ id }) => id} />;
}
