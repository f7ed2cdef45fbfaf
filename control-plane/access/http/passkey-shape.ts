// What browsers say about passkeys, and the passkeys of a person.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { time } from '../../platform/http/values.js';
import type { NewCredential, Passkey, SignedChallenge } from '../app/passkeys.js';

/** Of a browser: the longest are certificates and keys. */
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/);

/** `PublicKeyCredential` with an `AuthenticatorAttestationResponse`. */
export const newCredentialShape = z
  .object({
    id: base64url,
    client_data: base64url.meta({ description: '`clientDataJSON`, in base64url' }),
    attestation: base64url.meta({ description: '`attestationObject`, in base64url' }),
    transports: z.array(z.string().max(32)).max(16),
  })
  .meta({ id: 'NewPasskeyCredential' });

export const newCredentialOf = (given: z.infer<typeof newCredentialShape>): NewCredential => ({
  id: given.id,
  clientData: given.client_data,
  attestation: given.attestation,
  transports: given.transports,
});

/** `PublicKeyCredential` with an `AuthenticatorAssertionResponse`. */
export const signedChallengeShape = z
  .object({
    id: base64url,
    client_data: base64url.meta({ description: '`clientDataJSON`, in base64url' }),
    authenticator_data: base64url,
    signature: base64url,
    user_handle: base64url.nullish(),
  })
  .meta({ id: 'SignedPasskeyChallenge' });

export const signedChallengeOf = (given: z.infer<typeof signedChallengeShape>): SignedChallenge => ({
  id: given.id,
  clientData: given.client_data,
  authenticatorData: given.authenticator_data,
  signature: given.signature,
  userHandle: given.user_handle,
});

/** The options as of the W3C's WebAuthn, which browsers take unchanged. */
export const optionsShape = z
  .object({ options: z.looseObject({ challenge: z.string() }) })
  .meta({ id: 'PasskeyOptions', description: 'JSON that browsers take for a passkey (WebAuthn, level 3)' });

export const passkeyShape = z
  .object({
    id: z.string(),
    name: z.string(),
    synced: z.boolean().meta({ description: 'Whether it is synchronized between devices' }),
    created_at: time,
    last_used_at: time.nullable(),
  })
  .meta({ id: 'Passkey' });

export const passkeyView = (one: Passkey): z.infer<typeof passkeyShape> => ({
  id: one.passkeyId,
  name: one.name,
  synced: one.backedUp,
  created_at: isoTime(one.createdAt),
  last_used_at: isoTime(one.lastUsedAt),
});
