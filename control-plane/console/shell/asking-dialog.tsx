// The dialog over a page in which the person confirms who they are, or signs in again after the session has ended. What was
// typed on the page stays, and the requests that wait are sent again.
import { type ReactNode, useSyncExternalStore } from 'react';
import type { Session } from '../../../client/types.js';
import { asking } from '../data/asking.js';
import { knownSession } from '../data/session.js';
import { ConfirmPassword } from './confirm-password.js';
import { SignInAgain } from './sign-in-again.js';
import type { WayProps } from './way-props.js';

type Way = Session['user']['confirm_ways'][number];

/** How a person confirms who they are, in a dialog of its own for each way. The service says which are open to the person. */
const ways: Readonly<Record<Way, (props: WayProps) => ReactNode>> = {
  password: ConfirmPassword,
};

export function AskingDialog() {
  const question = useSyncExternalStore(asking.subscribe, asking.get);
  const session = knownSession();
  if (question === null || session === null) return null;
  const [way] = session.user.confirm_ways;
  // Who has no way left signs in again.
  if (question === 'sign-in' || way === undefined) return <SignInAgain session={session} />;
  const Way = ways[way];
  return <Way session={session} />;
}
