import { useState } from 'react';
import type { Member } from '../../../../client/types.js';
import { useChangeMember } from '../../data/members.js';
import { useOrganization, useSession } from '../../data/session.js';
import { FormDialog } from '../../design/form-dialog.js';
import { Note } from '../../design/page.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { RoleFields, type RoleValue, roleBody } from './role-fields.js';
import { words } from './words.js';

export function EditDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const { user } = useSession();
  const change = useChangeMember(useOrganization());
  const [value, setValue] = useState<RoleValue>({
    role: member.role,
    workspaces: member.role === 'developer' ? member.workspace_ids : member.workspace_ids.slice(0, 1),
  });
  const submit = () => {
    change.mutate(
      { id: member.user_id, change: roleBody(value) },
      {
        onSuccess: ({ role }) => {
          toast.done(w.changed(member.name ?? member.email, common.role[role]));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={w.changeTitle(member.name ?? member.email)}
      submit={common.save}
      pending={change.isPending}
      error={change.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <RoleFields value={value} onChange={setValue} />
      {member.user_id === user.id && value.role !== member.role ? <Note>{w.yourself}</Note> : null}
    </FormDialog>
  );
}
