// The dialog over a page in which the person confirms who they are, or signs in again after the session has ended. What was
// typed on the page stays, and the requests that wait are sent again.
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import type { Session } from '../../../client/types.js';
import { asking } from '../data/asking.js';
import { hasPasskeys } from '../data/passkeys.js';
import { knownSession } from '../data/session.js';
import { ConfirmCode } from './confirm-code.js';
import { ConfirmPasskey } from './confirm-passkey.js';
import { ConfirmPassword } from './confirm-password.js';
import type { WayProps } from './confirm-way.js';
import { SignInAgain } from './sign-in-again.js';

type Way = Session['user']['confirm_ways'][number];

/** How a person confirms who they are, in a dialog of its own for each way. The service says which are open to the person. */
const ways: Readonly<Record<Way, (props: WayProps) => ReactNode>> = {
  passkey: ConfirmPasskey,
  password: ConfirmPassword,
  code: ConfirmCode,
};

export function AskingDialog() {
  const question = useSyncExternalStore(asking.subscribe, asking.get);
  const session = knownSession();
  if (question === null || session === null) return null;
  const open = session.user.confirm_ways.filter((one) => one !== 'passkey' || hasPasskeys());
  // Who has no way left signs in again.
  if (question === 'sign-in' || open.length === 0) return <SignInAgain session={session} />;
  return <Confirm session={session} open={open} />;
}

function Confirm({ session, open }: { session: Session; open: readonly Way[] }) {
  const [at, setAt] = useState(0);
  const way = open[at % open.length];
  if (way === undefined) return null;
  const Dialog = ways[way];
  return <Dialog key={way} session={session} onOther={open.length > 1 ? () => setAt(at + 1) : null} />;
}
