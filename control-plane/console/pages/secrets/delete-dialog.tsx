import type { Place } from '../../data/query-text.js';
import { useDeleteSecret } from '../../data/secrets.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function DeleteSecretDialog({ place, name, onClose }: { place: Place; name: string; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const remove = useDeleteSecret(place);
  const confirm = () =>
    remove.mutate(name, {
      onSuccess: () => {
        toast.done(w.deleted(name));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={w.deleteTitle(name)}
      open
      onOpenChange={(open) => open || onClose()}
      loses={[w.loses]}
      action={common.delete}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {w.deleteText}
    </ConfirmDialog>
  );
}
