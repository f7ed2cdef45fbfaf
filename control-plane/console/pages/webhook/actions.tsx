import { useState } from 'react';
import type { Webhook } from '../../../../client/types.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import type { Place } from '../../data/place.js';
import { useChangeWebhook, useDeleteWebhook, useTestWebhook } from '../../data/webhooks.js';
import { Button } from '../../design/button.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { DangerCard } from '../../design/danger-card.js';
import { useGo } from '../../design/link.js';
import { useToast } from '../../design/toast.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { EditDialog } from './edit-dialog.js';
import { RotateDialog } from './rotate-dialog.js';
import { words } from './words.js';

export interface ActionsProps {
  readonly place: Place;
  readonly webhook: Webhook;
  /** Why the person cannot change it. */
  readonly refused: string | null;
}

const dialogs = { edit: EditDialog, disable: DisableDialog, rotate: RotateDialog };

export function WebhookActions({ place, webhook, refused }: ActionsProps) {
  const w = useWords(words);
  const language = useLanguage();
  const toast = useToast();
  const test = useTestWebhook(place, webhook.id);
  const [open, setOpen] = useState<keyof typeof dialogs | null>(null);
  const send = () =>
    test.mutate(undefined, {
      onSuccess: ({ test: result }) => {
        if (result.ok) toast.done(w.tested);
        else
          toast.done(
            w.testedBad(
              (result.error_message && say(deliveryErrors, language, result.error_message)) ??
                w.http(String(result.http_status ?? '')),
            ),
          );
      },
      onError: toast.failed,
    });
  const Dialog = open === null ? null : dialogs[open];
  return (
    <>
      <Button variant="primary" pending={test.isPending} refused={refused} onClick={send}>
        {webhook.status === 'enabled' ? w.test : w.enable}
      </Button>
      <Button refused={refused} onClick={() => setOpen('edit')}>
        {w.edit}
      </Button>
      <Button refused={refused} onClick={() => setOpen('rotate')}>
        {w.rotate}
      </Button>
      {webhook.status === 'enabled' ? (
        <Button refused={refused} onClick={() => setOpen('disable')}>
          {w.disable}
        </Button>
      ) : null}
      {Dialog ? <Dialog place={place} webhook={webhook} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

export function WebhookDanger({ place, webhook, refused }: ActionsProps) {
  const w = useWords(words);
  const [asks, setAsks] = useState(false);
  return (
    <>
      <DangerCard actions={[{ action: w.delete, text: w.deleteNote, refused, onSelect: () => setAsks(true) }]} />
      {asks ? <DeleteDialog place={place} webhook={webhook} onClose={() => setAsks(false)} /> : null}
    </>
  );
}

function DeleteDialog({ place, webhook, onClose }: WebhookDialogProps) {
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

function DisableDialog({ place, webhook, onClose }: WebhookDialogProps) {
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
