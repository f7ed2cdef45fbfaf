import { useState } from 'react';
import type { Webhook } from '../../../../client/types.js';
import { deliveryErrors } from '../../../../shared/messages/delivery-errors.js';
import { say } from '../../../../shared/messages/message.js';
import type { Place } from '../../data/query-text.js';
import { useTestWebhook } from '../../data/webhooks.js';
import { Button } from '../../design/button.js';
import { useToast } from '../../design/toast.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { DeleteDialog } from './delete-dialog.js';
import { DisableDialog } from './disable-dialog.js';
import { EditDialog } from './edit-dialog.js';
import { RotateDialog } from './rotate-dialog.js';
import { words } from './words.js';

export interface ActionsProps {
  readonly place: Place;
  readonly webhook: Webhook;
  /** Why the person cannot change it. */
  readonly refused: string | null;
}

const dialogs = { edit: EditDialog, disable: DisableDialog, rotate: RotateDialog, delete: DeleteDialog };

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
      <Button variant="danger" refused={refused} onClick={() => setOpen('delete')}>
        {w.delete}
      </Button>
      {Dialog ? <Dialog place={place} webhook={webhook} onClose={() => setOpen(null)} /> : null}
    </>
  );
}
