import Ellipsis from 'lucide-react/icons/ellipsis';
import LogOut from 'lucide-react/icons/log-out';
import UserCog from 'lucide-react/icons/user-cog';
import UserMinus from 'lucide-react/icons/user-minus';
import type { Member } from '../../../../client/types.js';
import { useOrganization, useSession } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { IconButton } from '../../design/button.js';
import { Menu, MenuItem } from '../../design/menu.js';
import { Note, Row } from '../../design/page.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import type { Doing } from './doing.js';
import { words } from './words.js';

export interface MemberTableProps {
  readonly members: readonly Member[];
  /** Of all members. */
  readonly owners: number;
  onDo(doing: Doing): void;
}

export function MemberTable({ members, owners, onDo }: MemberTableProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const { user } = useSession();
  const { role, workspaces } = useOrganization();
  const nameOf = (id: string) => workspaces.find((one) => one.id === id)?.name ?? id;

  const columns: Column<Member>[] = [
    {
      key: 'person',
      header: w.person,
      main: true,
      cell: ({ user_id, name, email }) => (
        <div>
          <Row>
            <span>{name ?? email}</span>
            {user_id === user.id ? <Badge tone="info">{w.you}</Badge> : null}
          </Row>
          {name ? <Note>{email}</Note> : null}
        </div>
      ),
    },
    { key: 'role', header: w.role, cell: (member) => common.role[member.role] },
    {
      key: 'workspaces',
      header: w.workspaces,
      cell: (member) =>
        member.role === 'developer'
          ? member.workspace_ids.length > 0
            ? format.list(member.workspace_ids.map(nameOf))
            : w.noWorkspaces
          : common.all,
    },
    { key: 'joined', header: w.joined, cell: ({ joined_at }) => <Time at={joined_at} /> },
    buttonColumn(w.actions, (member) => (
      <Actions
        member={member}
        self={member.user_id === user.id}
        refusal={refusalOf(role, member, owners)}
        onDo={onDo}
      />
    )),
  ];
  return <Table label={w.title} columns={columns} rows={members} rowKey={({ user_id }) => user_id} />;
}

/** Why the person cannot change the member, as a key of the words; null if they can. */
function refusalOf(role: string, member: Member, owners: number): 'needsOwner' | 'lastOwner' | null {
  if (member.role !== 'owner') return null;
  if (role !== 'owner') return 'needsOwner';
  return owners === 1 ? 'lastOwner' : null;
}

function Actions({
  member,
  self,
  refusal,
  onDo,
}: {
  member: Member;
  self: boolean;
  refusal: 'needsOwner' | 'lastOwner' | null;
  onDo(doing: Doing): void;
}) {
  const w = useWords(words);
  const { role } = useOrganization();
  const may = role !== 'developer';
  if (!may && !self) return null;
  const who = member.name ?? member.email;
  return (
    <Menu trigger={<IconButton label={w.actionsOf(who)} icon={<Ellipsis aria-hidden />} />}>
      {refusal ? <MenuItem disabled>{w[refusal]}</MenuItem> : null}
      {may && !refusal ? (
        <MenuItem icon={<UserCog />} onSelect={() => onDo({ what: 'edit', member })}>
          {w.change}
        </MenuItem>
      ) : null}
      {refusal ? null : (
        <MenuItem danger icon={self ? <LogOut /> : <UserMinus />} onSelect={() => onDo({ what: 'remove', member })}>
          {self ? w.leave : w.remove}
        </MenuItem>
      )}
    </Menu>
  );
}
