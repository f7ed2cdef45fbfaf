import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asking } from '../data/asking.js';
import { Failure } from '../data/failure.js';
import { openProviderTab, whenConfirmedElsewhere } from '../data/identity-provider.js';
import { signInWaysQuery } from '../data/passkeys.js';
import { FormDialog } from '../design/form-dialog.js';
import { Note } from '../design/page.js';
import { useFormat } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { words } from './asking-words.js';
import { OtherWay, type WayProps } from './confirm-way.js';

/** The provider asks the person in another tab, so that this page stays as it is. */
export function ConfirmProvider({ session: { limits }, onOther }: WayProps) {
  const w = useWords(words);
  const { span } = useFormat();
  const name = useQuery(signInWaysQuery).data?.provider?.name ?? '';
  const [blocked, setBlocked] = useState(false);
  useEffect(() => whenConfirmedElsewhere(() => asking.answer(true)), []);
  return (
    <FormDialog
      above
      title={w.confirmTitle}
      description={w.confirmAgain(span(limits.session_confirm_s * 1_000))}
      submit={w.openProvider(name)}
      pending={false}
      error={blocked ? new Failure({ status: null, code: 'form', message: w.tabBlocked }) : null}
      onSubmit={() => setBlocked(!openProviderTab('confirm'))}
      onClose={() => asking.answer(false)}
    >
      <Note>{w.providerText(name)}</Note>
      <OtherWay onOther={onOther} />
    </FormDialog>
  );
}
