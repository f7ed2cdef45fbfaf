// The session of an open page has ended.
import { useEffect } from 'react';
import { getSession } from '../../../client/operations/console.js';
import type { Session } from '../../../client/types.js';
import { call, sendOnce } from '../data/api.js';
import { asking } from '../data/asking.js';
import { queryClient } from '../data/query-client.js';
import { sessionQuery } from '../data/session.js';
import { Dialog } from '../design/dialog.js';
import { useWords } from '../words/use-words.js';
import { words } from './asking-words.js';
import { SignInForm } from './sign-in-form.js';

export default function SignInAgain({ session: before }: { readonly session: Session }) {
  const w = useWords(words);
  const personId = before.user.id;
  useEffect(() => {
    // The person may sign in again in another tab.
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      sendOnce(call(getSession)).then(
        (session) => goOn(session, personId),
        // Nobody is signed in, or the service cannot be reached: the dialog stays.
        () => undefined,
      );
    };
    addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [personId]);
  return (
    <Dialog
      above
      open
      title={w.endedTitle}
      description={w.endedText}
      onOpenChange={(open) => open || asking.answer(false)}
    >
      <SignInForm email={before.user.email} next="new-tab" onSignedIn={(session) => goOn(session, personId)} />
    </Dialog>
  );
}

/** The page goes on as it is for the same person, and is loaded anew for another one. */
function goOn(session: Session, personId: string): void {
  if (session.user.id !== personId) {
    location.reload();
    return;
  }
  queryClient.setQueryData(sessionQuery.queryKey, session);
  asking.answer(true);
  void queryClient.invalidateQueries();
}
