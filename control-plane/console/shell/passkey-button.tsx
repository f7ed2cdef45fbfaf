// Signing in with a passkey: by a button, and in the list that the browser opens below the field of the address.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Session } from '../../../client/types.js';
import { clock } from '../clock.js';
import { Failure } from '../data/failure.js';
import { endOffer, hasPasskeys, offersInField, signInWaysQuery, useSignInWithPasskey } from '../data/passkeys.js';
import { Button } from '../design/button.js';
import { FailureNote } from '../design/failure-note.js';
import { useWords } from '../words/use-words.js';
import { words } from './sign-in-words.js';

/** A challenge has to be answered within `passkey_challenge_ms` (by default 5 minutes), and a page stays open for longer. */
const OFFER_MS = 4 * 60_000;

/** Renders nothing where the service or the browser has no passkeys. */
export function PasskeyButton({ onSignedIn }: { onSignedIn(session: Session): void }) {
  const w = useWords(words);
  const ways = useQuery(signInWaysQuery);
  const offered = ways.data?.passkeys === true && hasPasskeys();
  const inField = useSignInWithPasskey();
  const byButton = useSignInWithPasskey();
  const { mutate: offer } = inField;
  const asks = useRef(false);
  asks.current = byButton.isPending;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, while the page is open
  useEffect(() => {
    if (!offered) return undefined;
    let left = false;
    let offers = 0;
    const begin = () =>
      void offersInField().then((can) => {
        // Each offer ends the one before, and would end a question by the button.
        if (can && !left && !asks.current) offer(++offers, { onSuccess: onSignedIn });
      });
    begin();
    const timer = clock.setInterval(begin, OFFER_MS);
    return () => {
      left = true;
      timer.cancel();
      void endOffer();
    };
  }, [offered]);
  if (!offered) return null;
  // The end of an offer is not a failure; the refusal of a chosen passkey is.
  const refused = inField.error instanceof Failure && inField.error.status !== null ? inField.error : null;
  const error = byButton.error ?? refused;
  return (
    <>
      {error ? <FailureNote error={isCancelled(error) ? plain(w.passkeyCancelled) : error} /> : null}
      <Button wide pending={byButton.isPending} onClick={() => byButton.mutate(0, { onSuccess: onSignedIn })}>
        {w.passkey}
      </Button>
    </>
  );
}

const isCancelled = (error: unknown) => error instanceof Failure && error.code === 'passkey_cancelled';
const plain = (message: string) => new Failure({ status: null, code: 'form', message });
