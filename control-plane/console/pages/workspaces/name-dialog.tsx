import { useState } from 'react';
import type { Workspace } from '../../../../client/types.js';
import { useOrganization } from '../../data/session.js';
import { useCreateWorkspace, useRenameWorkspace } from '../../data/workspaces.js';
import { FormDialog } from '../../design/form-dialog.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** @param workspace to rename; without one, a new one is created */
export function NameDialog({ workspace, onClose }: { workspace?: Workspace; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const organization = useOrganization();
  const create = useCreateWorkspace(organization);
  const rename = useRenameWorkspace(organization);
  const { isPending, error } = workspace ? rename : create;
  const [name, setName] = useState(workspace?.name ?? '');
  const done = (made: Workspace) => {
    toast.done((workspace ? w.renamed : w.made)(made.name));
    onClose();
  };
  const submit = () => {
    if (workspace) rename.mutate({ id: workspace.id, name }, { onSuccess: done });
    else create.mutate(name, { onSuccess: done });
  };
  return (
    <FormDialog
      title={workspace ? w.renameOf(workspace.name) : w.create}
      submit={workspace ? common.save : common.create}
      pending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={w.name}
        note={w.nameNote}
        value={name}
        onChange={setName}
        maxLength={100}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
