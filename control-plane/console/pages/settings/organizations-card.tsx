import { useSession } from '../../data/session.js';
import { Card } from '../../design/card.js';
import { Link } from '../../design/link.js';
import { Note } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

type Organization = ReturnType<typeof useSession>['organizations'][number];

export function OrganizationsCard() {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const { organizations } = useSession();
  const columns: Column<Organization>[] = [
    {
      key: 'name',
      header: w.organization,
      main: true,
      cell: ({ slug, name }) => (
        <Link to="/o/$org" params={{ org: slug }}>
          {name}
        </Link>
      ),
    },
    { key: 'role', header: w.role, cell: ({ role }) => common.role[role] },
    {
      key: 'workspaces',
      header: w.workspaces,
      cell: ({ workspaces }) =>
        workspaces.length === 0 ? common.none : format.list(workspaces.map(({ name }) => name)),
    },
    {
      key: 'members',
      header: w.members,
      quiet: true,
      narrow: true,
      cell: ({ slug, name }) => (
        <Link to="/o/$org/members" params={{ org: slug }}>
          <span className="unseen">{name}: </span>
          {w.members}
        </Link>
      ),
    },
  ];
  return (
    <Card title={w.organizations} flush={organizations.length > 0}>
      {organizations.length === 0 ? (
        <Note>{w.noOrganizations}</Note>
      ) : (
        <Table label={w.organizations} columns={columns} rows={organizations} rowKey={({ id }) => id} />
      )}
    </Card>
  );
}
