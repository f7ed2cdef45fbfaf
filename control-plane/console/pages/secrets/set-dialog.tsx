import { useState } from 'react';
import { say } from '../../../../shared/messages/message.js';
import { secretWarnings } from '../../../../shared/messages/secret-warnings.js';
import type { Place } from '../../data/place.js';
import { useSetSecret } from '../../data/secrets.js';
import { useLimits } from '../../data/session.js';
import { FormDialog } from '../../design/form-dialog.js';
import { TextArea, TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { useFormat, useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** @param name of the secret to replace; '' for a new one */
export function SetSecretDialog({ place, name: given, onClose }: { place: Place; name: string; onClose(): void }) {
  const w = useWords(words);
  const toast = useToast();
  const format = useFormat();
  const language = useLanguage();
  const mostBytes = useLimits().secret_bytes;
  const set = useSetSecret(place);
  const [name, setName] = useState(given);
  const [value, setValue] = useState('');
  const submit = () => {
    set.mutate(
      { name, value },
      {
        onSuccess: (stored) => {
          const warning = stored.warning_message && say(secretWarnings, language, stored.warning_message);
          toast.done([w.stored(stored.name), warning].filter(Boolean).join(' '));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={given === '' ? w.setTitle : w.replaceOf(given)}
      submit={w.set}
      pending={set.isPending}
      error={set.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {given === '' ? (
        <TextField
          name="name"
          label={w.name}
          note={w.nameNote}
          value={name}
          onChange={(text) => setName(text.toUpperCase().replace(/[\s-]/g, '_'))}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
        />
      ) : null}
      <TextArea
        name="value"
        label={w.value}
        note={w.valueNote(format.bytes(mostBytes))}
        value={value}
        onChange={setValue}
        autoComplete="off"
        spellCheck={false}
        required
      />
    </FormDialog>
  );
}
