import { useChangeWebhook } from '../../data/webhooks.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { words } from './words.js';

export function DisableDialog({ place, webhook, onClose }: WebhookDialogProps) {
  const w = useWords(words);
  const toast = useToast();
  const change = useChangeWebhook(place, webhook.id);
  const confirm = () =>
    change.mutate(
      { status: 'disabled' },
      {
        onSuccess: () => {
          toast.done(w.disabledNow);
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={w.disableTitle}
      open
      onOpenChange={(open) => open || onClose()}
      loses={[w.disableLoses]}
      action={w.disable}
      pending={change.isPending}
      error={change.error}
      onConfirm={confirm}
    >
      {w.disableText}
    </ConfirmDialog>
  );
}
