// Checks what an authenticator answers: WebAuthn. The library is loaded when somebody uses a passkey.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Passkey } from '../store/passkeys.js';

/** A new passkey, as the browser gives it: everything in base64url. */
export interface NewCredential {
  readonly id: string;
  readonly clientData: string;
  readonly attestation: string;
  readonly transports: readonly string[];
}

/** A signature with a passkey, as the browser gives it: everything in base64url. */
export interface SignedChallenge {
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** The person, as stored by the authenticator. */
  readonly userHandle?: string | null | undefined;
}

export interface RelyingParty {
  readonly rpId: string;
  readonly origin: string;
}

const library = () => import('@simplewebauthn/server');

const publicKeyType = 'public-key' as const;

/** As a browser takes it. */
export async function creationOptions(
  { rpId }: RelyingParty,
  of: {
    challenge: string;
    userId: string;
    email: string;
    name: string | null;
    known: readonly Passkey[];
    timeout: number;
  },
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: `Cidermill ${rpId}`,
    rpID: rpId,
    challenge: new Uint8Array(Buffer.from(of.challenge, 'base64url')),
    userID: new Uint8Array(Buffer.from(of.userId)),
    userName: of.email,
    userDisplayName: of.name ?? of.email,
    timeout: of.timeout,
    attestationType: 'none',
    excludeCredentials: of.known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** As a browser takes it, for any passkey of this site. */
export async function requestOptions({ rpId }: RelyingParty, of: { challenge: string; timeout: number }) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: rpId,
    challenge: new Uint8Array(Buffer.from(of.challenge, 'base64url')),
    timeout: of.timeout,
    userVerification: 'required',
  });
}

/** @throws ApiError invalid_passkey */
export async function checkedCredential(
  { rpId, origin }: RelyingParty,
  { id, clientData, attestation, transports }: NewCredential,
  isChallenge: (challenge: string) => boolean,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'backedUp'>> {
  const { verifyRegistrationResponse } = await library();
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  return refusing(async () => {
    // No attestation was requested: the library would fetch the revocation list that its certificate names.
    const { attStmt, fmt } = attested(decodeAttestationObject(new Uint8Array(Buffer.from(attestation, 'base64url'))));
    if (!(fmt === 'none' || (fmt === 'packed' && attStmt.get('x5c') === undefined)))
      throw new Error(`attested: ${fmt}`);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: publicKeyType,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData,
          attestationObject: attestation,
          transports: [...transports],
        },
      },
      expectedChallenge: isChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    });
    if (!verified) throw new Error('not verified');
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      backedUp: credentialBackedUp,
    };
  });
}

/**
 * Returns what to record of the use.
 *
 * @throws ApiError invalid_passkey, also when the counter has not grown: the passkey was copied
 */
export async function checkedSignature(
  { rpId, origin }: RelyingParty,
  { credentialId, publicKey, counter, userId }: Passkey,
  { clientData, authenticatorData, signature, userHandle }: SignedChallenge,
  isChallenge: (challenge: string) => boolean,
): Promise<Pick<Passkey, 'counter' | 'backedUp'>> {
  const { verifyAuthenticationResponse } = await library();
  return refusing(async () => {
    const handle = userHandle ?? null;
    if (handle !== null && Buffer.from(handle, 'base64url').toString() !== userId) throw new Error('of another person');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: credentialId,
        rawId: credentialId,
        type: publicKeyType,
        clientExtensionResults: {},
        response: { clientDataJSON: clientData, authenticatorData, signature },
      },
      expectedChallenge: isChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
    });
    if (!verified) throw new Error('not verified');
    return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
  });
}

/** The library throws plain errors about anything that is wrong in an answer. */
async function refusing<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    throw new ApiError('invalid_passkey', { cause });
  }
}

const attested = (object: {
  get(key: 'fmt'): string;
  get(key: 'attStmt'): { get(key: 'x5c'): unknown };
}): { fmt: string; attStmt: { get(key: 'x5c'): unknown } } => ({
  fmt: object.get('fmt'),
  attStmt: object.get('attStmt'),
});

/** Returns the challenge that the browser signed; null if the data is not JSON of a browser. */
export function challengeOf(clientData: string): string | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(clientData, 'base64url').toString());
    const challenge: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'challenge') : null;
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}
