import { type FormEvent, useId, useState } from 'react';
import { fieldProblem } from '../../data/failure.js';
import type { Place } from '../../data/query-text.js';
import { useSetSecret } from '../../data/secrets.js';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { FailureNote } from '../../design/failure-note.js';
import { Stack } from '../../design/page.js';
import { TextArea, TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** @param name of the secret to replace; '' for a new one */
export function SetSecretDialog({
  place,
  name: given,
  onClose,
}: {
  place: Place;
  name: string;
  onClose(): void;
}) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const form = useId();
  const set = useSetSecret(place);
  const [name, setName] = useState(given);
  const [value, setValue] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate(
      { name, value },
      {
        onSuccess: (stored) => {
          toast.done((stored.masked ? w.stored : w.storedUnmasked)(stored.name));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog
      title={given === '' ? w.setTitle : w.replaceOf(given)}
      open
      onOpenChange={(open) => open || onClose()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="primary" type="submit" form={form} pending={set.isPending}>
            {w.set}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          {given === '' ? (
            <TextField
              label={w.name}
              note={w.nameNote}
              value={name}
              onChange={(text) => setName(text.toUpperCase().replace(/[\s-]/g, '_'))}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
              problem={fieldProblem(set.error, 'name')}
            />
          ) : null}
          <TextArea
            label={w.value}
            note={w.valueNote}
            value={value}
            onChange={setValue}
            autoComplete="off"
            spellCheck={false}
            required
            problem={fieldProblem(set.error, 'value')}
          />
          {set.error ? <FailureNote error={set.error} /> : null}
        </Stack>
      </form>
    </Dialog>
  );
}
