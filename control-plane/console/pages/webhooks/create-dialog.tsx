import { useState } from 'react';
import type { Webhook } from '../../../../client/types.js';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import type { Place } from '../../data/place.js';
import { useCreateWebhook } from '../../data/webhooks.js';
import { FormDialog } from '../../design/form-dialog.js';
import { useGo } from '../../design/link.js';
import { SecretDialog } from '../../design/secret.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import { EventsField, usualEvents } from './events-field.js';
import { words } from './words.js';

/** Creates a webhook, then shows its secret and the result of the test. */
export function CreateWebhookDialog({ place, onClose }: { place: Place; onClose(): void }) {
  const w = useWords(words);
  const go = useGo();
  const create = useCreateWebhook(place);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(usualEvents);
  const submit = () => {
    create.mutate({ url: url.trim(), events: [...events] });
  };
  const created = create.data;
  if (created) {
    const leave = () => go({ to: '/o/$org/webhooks/$webhook_id', params: { webhook_id: created.id } });
    return (
      <SecretDialog
        title={w.secretTitle}
        label={w.secret}
        value={created.secret}
        onStored={leave}
        before={
          <>
            <TestResult test={created.test} />
            <p>{w.secretText}</p>
          </>
        }
      />
    );
  }
  return (
    <FormDialog
      title={w.createTitle}
      description={w.createText}
      submit={w.create}
      pending={create.isPending}
      checks={{ events: events.length === 0 ? fieldProblem('too_few', { least: 1 }) : null }}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        name="url"
        label={w.url}
        note={w.urlNote}
        type="url"
        placeholder="https://hooks.example.com/builds"
        value={url}
        onChange={setUrl}
        required
      />
      <EventsField value={events} onChange={setEvents} />
    </FormDialog>
  );
}

/** What the receiver answered to the last test. */
function TestResult({ test }: Pick<Webhook, 'test'>) {
  const w = useWords(words);
  const status = test.http_status === null ? null : w.http(String(test.http_status));
  return <p role="status">{test.ok ? w.testOk(status ?? '2xx') : w.testFailed(test.error ?? status ?? w.noAnswer)}</p>;
}
