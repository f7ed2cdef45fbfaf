// The way to the identity provider and back, and the account there that is linked to the signed-in person.
import {
  acceptInvite,
  beginWithProvider,
  confirmSession,
  getIdentity,
  linkIdentity,
  signInWithProvider,
  unlinkIdentity,
} from '../../../client/operations/console.js';
import type { IdentityProviderAnswer } from '../../../client/types.js';
import { call, send, sendOnce } from './api.js';
import { Failure } from './failure.js';
import { useMutation } from './mutation.js';
import { nextAddress } from './next-address.js';
import { forgetKeys, readQuery, useChange } from './queries.js';
import { findSession, sessionQuery } from './session.js';

/** Why a person is sent to the provider. */
export interface ProviderTrip {
  readonly purpose: 'sign-in' | 'invite' | 'confirm' | 'link';
  /** Address of this site to go to afterwards; null: the start page. */
  readonly next?: string | null;
  /** Token of the invitation to accept. */
  readonly invite?: string;
  /** In a tab of its own, so that the page that asks stays as it is. */
  readonly newTab?: boolean;
}

/** The answer that the provider has sent with the person. */
export interface ProviderReturn extends ProviderTrip {
  readonly answer: IdentityProviderAnswer;
}

/** Of this tab, so that several tabs can be on the way at once. */
const KEY = 'cidermill_identity_provider';

/** Between the tabs of this browser. */
const channel = () => new BroadcastChannel('cidermill_identity_provider');

/** Sends this tab to the provider. Resolves when it is about to leave. */
export async function goToProvider(trip: ProviderTrip): Promise<void> {
  const { url, token } = await send(call(beginWithProvider, { purpose: trip.purpose }));
  sessionStorage.setItem(KEY, JSON.stringify({ ...trip, token }));
  location.assign(url);
}

/** Opens a tab in which a person goes to the provider; false: the browser has refused. */
export function openProviderTab(purpose: 'sign-in' | 'confirm'): boolean {
  const tab = open(`/sign-in/provider?begin=${purpose}`);
  if (!tab) return false;
  // The provider's page must not have access to this one.
  tab.opener = null;
  return true;
}

/** Calls `done` when another tab has finished. Returns a function that stops listening. */
export function whenConfirmedElsewhere(done: () => void): () => void {
  const one = channel();
  one.onmessage = done;
  return () => one.close();
}

/**
 * Returns what the provider has answered in the address of this tab, once; null when this tab has not asked, or the
 * address was opened again. The answer is removed from the address, because it would stay in the history.
 */
export function takeReturn(): ProviderReturn | null {
  const given = new URLSearchParams(location.search);
  const kept = sessionStorage.getItem(KEY);
  const state = given.get('state');
  if (kept === null || state === null) return null;
  sessionStorage.removeItem(KEY);
  history.replaceState(history.state, '', location.pathname);
  const { token, ...trip }: ProviderTrip & { token: string } = JSON.parse(kept);
  const answer: { -readonly [Name in keyof IdentityProviderAnswer]: IdentityProviderAnswer[Name] } = { token, state };
  for (const name of ['code', 'error', 'iss'] as const) {
    const value = given.get(name);
    if (value !== null) answer[name] = value;
  }
  return { ...trip, next: nextAddress(trip.next, location.origin), answer };
}

/** Sends the answer to the service. Returns the session that it begins; null: none, because there is one. */
async function complete({ purpose, invite = '', answer }: ProviderReturn) {
  if (purpose === 'sign-in') return send(call(signInWithProvider, answer));
  if (purpose === 'invite') return send(call(acceptInvite, { token: invite, provider: answer }));
  if (purpose === 'confirm') {
    await sendOnce(call(confirmSession, { provider: answer }));
    return null;
  }
  // Who is asked to confirm it is in the session.
  if (!(await findSession()))
    throw new Failure({ status: 401, code: 'session_required', message: 'Nobody is signed in.' });
  await send(call(linkIdentity, answer));
  await forgetKeys(identityQuery.queryKey, sessionQuery.queryKey);
  return null;
}

/** The caller takes over the session. */
export const useCompleteTrip = () => useMutation({ mutationFn: complete });

export const useGoToProvider = () => useMutation({ mutationFn: goToProvider });

/** Tells the tab that waits, and closes this one, which a script has opened. */
export function endProviderTab(): void {
  const one = channel();
  one.postMessage('done');
  one.close();
  close();
}

export const identityQuery = readQuery(['identity'], call(getIdentity));

export const useUnlinkIdentity = () =>
  useChange(
    () => send(call(unlinkIdentity)),
    () => forgetKeys(identityQuery.queryKey, sessionQuery.queryKey),
  );
