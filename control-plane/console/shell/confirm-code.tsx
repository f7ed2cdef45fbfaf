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

/** With a code of the authenticator app, or a recovery code. */
export function ConfirmCode({ session: { limits }, onOther }: WayProps) {
  const w = useWords(words);
  const { span } = useFormat();
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => sendOnce(call(confirmSession, { code: code.trim() })),
    onSuccess: () => asking.answer(true),
    onError: (error) => {
      setCode('');
      if (codeOf(error) === 'session_required') void asking.ask('sign-in', { reads: false });
    },
  });
  const isWrong = codeOf(confirm.error) === 'invalid_code';
  return (
    <FormDialog
      above
      title={w.confirmTitle}
      description={w.confirmAgain(span(limits.session_confirm_s * 1_000))}
      submit={w.confirm}
      pending={confirm.isPending}
      error={isWrong ? null : confirm.error}
      onSubmit={() => code.trim() !== '' && !confirm.isPending && confirm.mutate()}
      onClose={() => asking.answer(false)}
    >
      <TextField
        label={w.code}
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={code}
        onChange={setCode}
        problem={isWrong && code === '' ? w.wrongCode : undefined}
      />
      <OtherWay onOther={onOther} />
    </FormDialog>
  );
}
