import { useState } from 'react';
import type { Passkey } from '../../../../client/types.js';
import { useRenamePasskey } from '../../data/passkeys.js';
import { FormDialog } from '../../design/form-dialog.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const rename = useRenamePasskey();
  const [name, setName] = useState(passkey.name);
  const submit = () => {
    if (rename.isPending) return;
    rename.mutate(
      { id: passkey.id, name },
      {
        onSuccess: (renamed) => {
          toast.done(w.passkeyRenamed(renamed.name));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={w.renameOf(passkey.name)}
      submit={common.save}
      pending={rename.isPending}
      error={rename.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={w.passkeyName}
        note={w.passkeyRenameNote}
        maxLength={100}
        autoComplete="off"
        required
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
