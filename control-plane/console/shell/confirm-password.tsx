import { useState } from 'react';
import { confirmSession } from '../../../client/operations/console.js';
import { call, sendOnce } from '../data/api.js';
import { asking } from '../data/asking.js';
import { codeOf } from '../data/failure.js';
import { useMutation } from '../data/mutation.js';
import { FormDialog } from '../design/form-dialog.js';
import { TextField } from '../design/text-field.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { words } from './asking-words.js';
import { OtherWay, type WayProps } from './confirm-way.js';

export function ConfirmPassword({ session: { user, limits }, onOther }: WayProps) {
  const w = useWords(words);
  const { span } = useFormat();
  const [password, setPassword] = useState('');
  const confirm = useMutation({
    mutationFn: () => sendOnce(call(confirmSession, { password })),
    onSuccess: () => asking.answer(true),
    onError: (error) => {
      setPassword('');
      if (codeOf(error) === 'session_required') void asking.ask('sign-in', { reads: false });
    },
  });
  return (
    <FormDialog
      above
      title={w.confirmTitle}
      description={w.confirmText(span(limits.session_confirm_s * 1_000))}
      submit={w.confirm}
      pending={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.isPending || confirm.mutate()}
      onClose={() => asking.answer(false)}
    >
      {/* For password managers. */}
      <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
      <TextField
        label={w.password}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
      <OtherWay onOther={onOther} />
    </FormDialog>
  );
}
