import { type FormEvent, useId, useState } from 'react';
import { fieldProblem } from '../../data/failure.js';
import type { Place } from '../../data/query-text.js';
import { useCreateWebhook } from '../../data/webhooks.js';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { FailureNote } from '../../design/failure-note.js';
import { useGo } from '../../design/link.js';
import { Stack } from '../../design/page.js';
import { Secret } from '../../design/secret.js';
import { TextField } from '../../design/text-field.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { EventsField, usualEvents } from './events-field.js';
import { TestResult } from './test-result.js';
import { words } from './words.js';

/** Creates a webhook, then shows its secret and the result of the test. */
export function CreateWebhookDialog({ place, onClose }: { place: Place; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const go = useGo();
  const form = useId();
  const create = useCreateWebhook(place);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(usualEvents);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ url: url.trim(), events: [...events] });
  };
  const created = create.data;
  if (created) {
    const leave = () => go({ to: '/o/$org/webhooks/$webhook_id', params: { webhook_id: created.id } });
    return (
      <Dialog title={w.secretTitle} open onOpenChange={(open) => open || leave()}>
        <Stack>
          <TestResult test={created.test} />
          <p>{w.secretText}</p>
          <Secret label={w.secret} value={created.secret} onStored={leave} />
        </Stack>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={w.createTitle}
      description={w.createText}
      open
      onOpenChange={(open) => open || onClose()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            pending={create.isPending}
            refused={events.length === 0 ? w.noEvents : null}
          >
            {w.create}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          <TextField
            label={w.url}
            note={w.urlNote}
            type="url"
            placeholder="https://hooks.example.com/builds"
            value={url}
            onChange={setUrl}
            required
            problem={fieldProblem(create.error, 'url')}
          />
          <EventsField value={events} onChange={setEvents} />
          {create.error ? <FailureNote error={create.error} /> : null}
        </Stack>
      </form>
    </Dialog>
  );
}
