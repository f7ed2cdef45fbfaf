import { confirmSession } from '../../../client/operations/console.js';
import { call, sendOnce } from '../data/api.js';
import { asking } from '../data/asking.js';
import { codeOf, Failure } from '../data/failure.js';
import { useMutation } from '../data/mutation.js';
import { signChallenge } from '../data/passkeys.js';
import { FormDialog } from '../design/form-dialog.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { words } from './asking-words.js';
import { OtherWay, type WayProps } from './confirm-way.js';

export function ConfirmPasskey({ session: { limits }, onOther }: WayProps) {
  const w = useWords(words);
  const { span } = useFormat();
  const confirm = useMutation({
    mutationFn: async () => sendOnce(call(confirmSession, { passkey: await signChallenge() })),
    onSuccess: () => asking.answer(true),
    onError: (error) => {
      if (codeOf(error) === 'session_required') void asking.ask('sign-in', { reads: false });
    },
  });
  const cancelled = codeOf(confirm.error) === 'passkey_cancelled';
  return (
    <FormDialog
      above
      title={w.confirmTitle}
      description={w.confirmAgain(span(limits.session_confirm_s * 1_000))}
      submit={w.usePasskey}
      pending={confirm.isPending}
      error={cancelled ? new Failure({ status: null, code: 'form', message: w.passkeyCancelled }) : confirm.error}
      onSubmit={() => !confirm.isPending && confirm.mutate()}
      onClose={() => asking.answer(false)}
    >
      <OtherWay onOther={onOther} />
    </FormDialog>
  );
}
