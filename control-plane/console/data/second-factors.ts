// The authenticator app and the recovery codes of the signed-in person.
import {
  getSecondFactors,
  renewRecoveryCodes,
  setUpTotp,
  turnOffTotp,
  turnOnTotp,
} from '../../../client/operations/console.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import { forgetKeys, readQuery, useChange } from './queries.js';
import { sessionQuery } from './session.js';

export const secondFactorsQuery = readQuery(['second-factors'], call(getSecondFactors));

/** The session says how the person can confirm who they are. */
const changed = () => forgetKeys(secondFactorsQuery.queryKey, sessionQuery.queryKey);

export const useSetUpTotp = () => useMutation({ mutationFn: () => send(call(setUpTotp)) });

/** Returns the recovery codes. */
export const useTurnOnTotp = () => useChange((code: string) => send(call(turnOnTotp, { code })), changed);

export const useTurnOffTotp = () => useChange(() => send(call(turnOffTotp)), changed);

/** Returns the new recovery codes. */
export const useRenewRecoveryCodes = () => useChange(() => send(call(renewRecoveryCodes)), changed);
