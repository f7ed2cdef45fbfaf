import { useState } from 'react';
import type { WebhookEventType } from '../../../../client/types.js';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { useChangeWebhook } from '../../data/webhooks.js';
import { FormDialog } from '../../design/form-dialog.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { EventsField } from '../webhooks/events-field.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { words } from './words.js';

export function EditDialog({ place, webhook, onClose }: WebhookDialogProps) {
  const w = useWords(words);
  const common = useWords(shared);
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
      checks={{ events: events.length === 0 ? fieldProblem('too_few', { least: 1 }) : null }}
      error={change.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField name="url" label={w.url} type="url" value={url} onChange={setUrl} required />
      <EventsField value={events} onChange={setEvents} />
    </FormDialog>
  );
}
