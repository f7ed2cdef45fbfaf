// `/o/:org/workspaces`: create, rename and remove workspaces.
import { useQuery } from '@tanstack/react-query';
import Blocks from 'lucide-react/icons/blocks';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import type { ListedWorkspace, Workspace } from '../../../../client/types.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { useRemoveWorkspace, workspacesQuery } from '../../data/workspaces.js';
import { Time } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { EmptyState } from '../../design/empty-state.js';
import { Link } from '../../design/link.js';
import { Page, Row } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { NameDialog } from './name-dialog.js';
import { words } from './words.js';

type Doing = { readonly what: 'create' } | { readonly what: 'rename' | 'remove'; readonly workspace: Workspace };

export default function WorkspacesPage() {
  const w = useWords(words);
  const organization = useOrganization();
  const may = useMay(MANAGERS);
  const query = useQuery({ ...workspacesQuery(organization), enabled: may });
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = () => setDoing(null);
  const list = query.data?.data ?? [];
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => setDoing({ what: 'create' })}>
      {w.create}
    </Button>
  );
  return (
    <Page title={w.title} lead={w.lead} actions={may ? add : undefined}>
      {may ? null : (
        <Card>
          <EmptyState icon={<Blocks />} title={w.needs} />
        </Card>
      )}
      {may ? <QueryState query={query} lines={4} /> : null}
      {list.length > 0 ? (
        <Card flush>
          <WorkspaceTable workspaces={list} onDo={setDoing} />
        </Card>
      ) : null}
      {doing?.what === 'create' ? <NameDialog onClose={close} /> : null}
      {doing?.what === 'rename' ? <NameDialog workspace={doing.workspace} onClose={close} /> : null}
      {doing?.what === 'remove' ? <RemoveWorkspaceDialog workspace={doing.workspace} onClose={close} /> : null}
    </Page>
  );
}

function WorkspaceTable({ workspaces, onDo }: { workspaces: readonly ListedWorkspace[]; onDo(doing: Doing): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const columns: Column<ListedWorkspace>[] = [
    {
      key: 'name',
      header: w.name,
      main: true,
      cell: ({ id, name }) => (
        <Link to="/o/$org/builds" search={{ workspace: id }}>
          {name}
        </Link>
      ),
    },
    { key: 'id', header: w.id, cell: ({ id }) => <code>{id}</code> },
    {
      key: 'developers',
      header: w.developers,
      numeric: true,
      cell: ({ developers }) => format.number(developers),
    },
    { key: 'keys', header: w.keys, numeric: true, cell: ({ keys }) => format.number(keys) },
    { key: 'created', header: w.created, cell: ({ created_at }) => <Time at={created_at} /> },
    buttonColumn(w.actions, (workspace) => (
      <Row>
        <Button small aria-label={w.renameOf(workspace.name)} onClick={() => onDo({ what: 'rename', workspace })}>
          {w.rename}
        </Button>
        <Button
          small
          refused={workspaces.length === 1 ? w.last : null}
          aria-label={w.removeOf(workspace.name)}
          onClick={() => onDo({ what: 'remove', workspace })}
        >
          {common.remove}
        </Button>
      </Row>
    )),
  ];
  return <Table label={w.title} columns={columns} rows={workspaces} rowKey={({ id }) => id} />;
}

function RemoveWorkspaceDialog({ workspace, onClose }: { workspace: Workspace; onClose(): void }) {
  const w = useWords(words);
  const toast = useToast();
  const remove = useRemoveWorkspace(useOrganization());
  const confirm = () =>
    remove.mutate(workspace.id, {
      onSuccess: () => {
        toast.done(w.removed(workspace.name));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={w.removeTitle(workspace.name)}
      open
      onOpenChange={(open) => open || onClose()}
      loses={[w.losesDevelopers, w.losesNew]}
      action={w.removeAction}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {w.stays}{' '}
      <Link to="/o/$org/keys" search={{ workspace: workspace.id }}>
        {w.itsKeys}
      </Link>
    </ConfirmDialog>
  );
}
