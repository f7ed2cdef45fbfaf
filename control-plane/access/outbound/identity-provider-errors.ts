// What errors of the library and of the identity provider mean.

/** The provider cannot be reached, or has failed. */
export class Unanswered extends Error {}

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null;

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

/** `error` of an answer of the provider, from the address or from its token endpoint. */
const providerError = (error: unknown): string | null => textOf(field(error, 'error'));

/** The client's id or secret is not accepted, or not in this place. */
export const isRefusedClient = (error: unknown): boolean =>
  providerError(error) === 'invalid_client' || field(error, 'code') === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE';

/** The answer of the provider does not follow the protocol. */
const strange = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'];

const ofPerson = ['access_denied', 'login_required', 'interaction_required', 'consent_required'];

/** Returns the code of the catalog. */
export function codeOf(error: unknown) {
  for (let cause = error; cause !== undefined && cause !== null; cause = field(cause, 'cause')) {
    if (cause instanceof Unanswered) return 'identity_provider_unavailable';
  }
  if (isRefusedClient(error) || strange.includes(textOf(field(error, 'code')) ?? ''))
    return 'identity_provider_unavailable';
  const said = providerError(error);
  // The provider sent no error of its own: the state, nonce, issuer or signature is wrong.
  if (said === null || said === 'invalid_grant') return 'identity_refused';
  return ofPerson.includes(said) ? 'identity_provider_declined' : 'identity_provider_unavailable';
}

/** For the log. The causes of the library's errors are left out: they contain tokens. */
export const reasonOf = (error: unknown) => ({
  reason: error instanceof Error ? error.message : String(error),
  kind: textOf(field(error, 'code')),
  said: providerError(error),
  description: textOf(field(error, 'error_description')),
});
