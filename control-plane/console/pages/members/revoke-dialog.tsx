import type { Invite } from '../../../../client/types.js';
import { useRevokeInvite } from '../../data/members.js';
import { useOrganization } from '../../data/session.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function RevokeDialog({ invite: { id, email }, onClose }: { invite: Invite; onClose(): void }) {
  const w = useWords(words);
  const toast = useToast();
  const revoke = useRevokeInvite(useOrganization());
  const confirm = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        toast.done(w.revoked(email));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={w.revokeTitle(email)}
      open
      onOpenChange={(open) => open || onClose()}
      action={w.revoke}
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
    >
      {w.revokeText}
    </ConfirmDialog>
  );
}
