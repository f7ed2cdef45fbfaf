// A person confirms who they are, in one of the ways that are open to them.
import { type ReactNode, useState } from 'react';
import type { Session } from '../../../client/types.js';
import { hasPasskeys } from '../data/passkeys.js';
import { ConfirmCode } from './confirm-code.js';
import { ConfirmPasskey } from './confirm-passkey.js';
import { ConfirmPassword } from './confirm-password.js';
import { ConfirmProvider } from './confirm-provider.js';
import type { WayProps } from './confirm-way.js';
import SignInAgain from './sign-in-again.js';

type Way = Session['user']['confirm_ways'][number];

/** A dialog of its own for each way. The service says which are open to the person. */
const ways: Readonly<Record<Way, (props: WayProps) => ReactNode>> = {
  passkey: ConfirmPasskey,
  password: ConfirmPassword,
  provider: ConfirmProvider,
  code: ConfirmCode,
};

export default function Confirm({ session }: { readonly session: Session }) {
  const [at, setAt] = useState(0);
  const open = session.user.confirm_ways.filter((one) => one !== 'passkey' || hasPasskeys());
  const way = open[at % open.length];
  // The only way is a passkey, which this browser does not have.
  if (way === undefined) return <SignInAgain session={session} />;
  const Dialog = ways[way];
  return <Dialog key={way} session={session} onOther={open.length > 1 ? () => setAt(at + 1) : null} />;
}
