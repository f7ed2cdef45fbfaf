import { useDeleteWebhook } from '../../data/webhooks.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useGo } from '../../design/link.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { words } from './words.js';

export function DeleteDialog({ place, webhook, onClose }: WebhookDialogProps) {
  const w = useWords(words);
  const toast = useToast();
  const go = useGo();
  const remove = useDeleteWebhook(place, webhook.id);
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast.done(w.deleted);
        go({ to: '/o/$org/webhooks' });
      },
    });
  return (
    <ConfirmDialog
      title={w.deleteTitle}
      open
      onOpenChange={(open) => open || onClose()}
      loses={w.deleteLoses}
      action={w.delete}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {w.deleteText} <code>{webhook.url}</code>
    </ConfirmDialog>
  );
}
