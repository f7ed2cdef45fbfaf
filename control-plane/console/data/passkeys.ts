// Passkeys: what the browser does with them, and those of the signed-in person. The library that speaks with the browser is
// loaded when somebody uses one.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  getSignInWays,
  listPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from '../../../client/operations/console.js';
import type { SignedPasskeyChallenge } from '../../../client/types.js';
import { call, send } from './api.js';
import { Failure } from './failure.js';
import { useMutation } from './mutation.js';
import { forgetKeys, readQuery, useChange } from './queries.js';
import { sessionQuery } from './session.js';

const library = () => import('@simplewebauthn/browser');

export const signInWaysQuery = readQuery(['sign-in-ways'], call(getSignInWays));
export const passkeysQuery = readQuery(['passkeys'], call(listPasskeys));

/** Whether this browser has passkeys: none does on plain http. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/**
 * Lets the person sign a challenge with a passkey of this site.
 *
 * @param inField true: the browser offers passkeys in the list of the field with `autocomplete="… webauthn"`, until one is chosen
 * @throws Failure `passkey_cancelled`: the person, or the browser after some time, has given up
 */
export async function signChallenge(inField = false): Promise<SignedPasskeyChallenge> {
  const [{ startAuthentication }, { options }] = await Promise.all([library(), send(call(beginPasskeySignIn))]);
  const { id, response } = await cancellable(() =>
    startAuthentication({
      optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
      useBrowserAutofill: inField,
    }),
  );
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    user_handle: response.userHandle ?? null,
  };
}

/** Whether the browser offers passkeys in the list of a field. */
export async function offersInField(): Promise<boolean> {
  return hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);
}

/** Ends an offer in a field. */
export async function endOffer(): Promise<void> {
  (await library()).WebAuthnAbortService.cancelCeremony();
}

async function makePasskey(name: string) {
  const [{ startRegistration }, { options }] = await Promise.all([library(), send(call(beginPasskey))]);
  const { id, response } = await cancellable(() =>
    startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }),
  );
  return send(
    call(addPasskey, {
      name,
      credential: {
        id,
        client_data: response.clientDataJSON,
        attestation: response.attestationObject,
        transports: [...(response.transports ?? [])],
      },
    }),
  );
}

async function cancellable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    const code = name === 'InvalidStateError' ? 'passkey_exists' : 'passkey_cancelled';
    throw new Failure({ status: null, code, message: error instanceof Error ? error.message : String(error) });
  }
}

/** Takes 0 for a question at once, or the number of an offer in a field. The caller takes over the session. */
export const useSignInWithPasskey = () =>
  useMutation({
    mutationFn: async (offer: number) => send(call(signInWithPasskey, { credential: await signChallenge(offer > 0) })),
  });

/** The session says how the person can confirm who they are. */
const changed = () => forgetKeys(passkeysQuery.queryKey, sessionQuery.queryKey);

export const useAddPasskey = () => useChange(makePasskey, changed);
export const useRemovePasskey = () => useChange((id: string) => send(call(removePasskey, id)), changed);
export const useRenamePasskey = () =>
  useChange(({ id, name }: { id: string; name: string }) => send(call(renamePasskey, id, { name })), changed);
