import type { Workspace } from '../../../../client/types.js';
import { useOrganization } from '../../data/session.js';
import { useRemoveWorkspace } from '../../data/workspaces.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Link } from '../../design/link.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function RemoveWorkspaceDialog({ workspace, onClose }: { workspace: Workspace; onClose(): void }) {
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
