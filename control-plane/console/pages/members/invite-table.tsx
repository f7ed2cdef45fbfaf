import type { Invite } from '../../../../client/types.js';
import { useOrganization } from '../../data/session.js';
import { TimeLeft } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Row } from '../../design/page.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import type { Doing } from './doing.js';
import { words } from './words.js';

export interface InviteTableProps {
  readonly invites: readonly Invite[];
  onDo(doing: Doing): void;
}

export function InviteTable({ invites, onDo }: InviteTableProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const { role: own } = useOrganization();
  const refusal = ({ role }: Invite) => (role === 'owner' && own !== 'owner' ? w.needsOwner : null);
  const columns: Column<Invite>[] = [
    { key: 'email', header: w.email, main: true, cell: ({ email }) => email },
    { key: 'role', header: w.role, cell: ({ role }) => common.role[role] },
    { key: 'by', header: w.invitedBy, cell: ({ invited_by_email }) => invited_by_email ?? w.operator },
    { key: 'expires', header: w.expiresIn, cell: ({ expires_at }) => <TimeLeft until={expires_at} /> },
    buttonColumn(w.actions, (invite) => (
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
    )),
  ];
  return <Table label={w.open} columns={columns} rows={invites} rowKey={({ id }) => id} />;
}
