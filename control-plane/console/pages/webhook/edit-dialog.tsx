import { useState } from 'react';
import type { WebhookEventType } from '../../../../client/types.js';
import { fieldProblem } from '../../data/failure.js';
import { useChangeWebhook } from '../../data/webhooks.js';
import { FormDialog } from '../../design/form-dialog.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { EventsField } from '../webhooks/events-field.js';
import { words as listWords } from '../webhooks/words.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { words } from './words.js';

export function EditDialog({ place, webhook, onClose }: WebhookDialogProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const list = useWords(listWords);
  const toast = useToast();
  const change = useChangeWebhook(place, webhook.id);
  const [url, setUrl] = useState(webhook.url);
  const [events, setEvents] = useState<readonly WebhookEventType[]>(webhook.events);
  const submit = () => {
    const address = url.trim();
    change.mutate(
      { events: [...events], ...(address === webhook.url ? {} : { url: address }) },
      {
        onSuccess: () => {
          toast.done(w.saved);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={w.editTitle}
      description={w.editText}
      submit={common.save}
      pending={change.isPending}
      refused={events.length === 0 ? list.noEvents : null}
      error={change.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={w.url}
        type="url"
        value={url}
        onChange={setUrl}
        required
        problem={fieldProblem(change.error, 'url')}
      />
      <EventsField value={events} onChange={setEvents} />
    </FormDialog>
  );
}
