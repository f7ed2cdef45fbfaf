// The dialog over a page in which the person confirms who they are, or signs in again after the session has ended. What was
// typed on the page stays, and the requests that wait are sent again.
import { Suspense, useEffect, useSyncExternalStore } from 'react';
import type { Session } from '../../../client/types.js';
import { asking } from '../data/asking.js';
import { knownSession } from '../data/session.js';
import { lazyPart } from './lazy-part.js';

// Loaded when somebody is asked.
const Confirm = lazyPart(() => import('./confirm.js'), Unloaded);
const SignInAgain = lazyPart(() => import('./sign-in-again.js'), Unloaded);

export function AskingDialog() {
  const question = useSyncExternalStore(asking.subscribe, asking.get);
  const session = knownSession();
  if (question === null || session === null) return null;
  const open = session.user.confirm_ways;
  // A person who has none of these ways signs in again.
  const Dialog = question === 'sign-in' || open.length === 0 ? SignInAgain : Confirm;
  return (
    <Suspense>
      <Dialog session={session} />
    </Suspense>
  );
}

/** The requests that wait fail with what the service said of them, and asking again loads the dialog again. */
function Unloaded(_: { readonly session: Session }) {
  useEffect(() => {
    void Promise.all([Confirm.preload(), SignInAgain.preload()]);
    asking.answer(false);
  }, []);
  return null;
}
