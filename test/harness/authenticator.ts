// An authenticator of passkeys in software, with the browser around it: it answers what the service's options ask for.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url');

/** What an answer can have wrong. */
export interface Faults {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  /** Of authenticator data: user present 1, user verified 4. */
  readonly flags?: number;
  readonly counter?: number;
  /** CBOR of the statement's format and contents. */
  readonly attestation?: Buffer;
}

const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
const bytes = (value: Buffer) => {
  const { length } = value;
  const head = length < 24 ? [0x40 | length] : length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), value]);
};

/** `{fmt: 'none', attStmt: {}}` without its braces. */
const NONE = Buffer.concat([text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])]);
/** A statement with a certificate of its maker: `{fmt: 'packed', attStmt: {alg: -7, sig: '', x5c: ['']}}`. */
export const WITH_CERTIFICATE = Buffer.concat([
  ...[text('fmt'), text('packed'), text('attStmt'), Buffer.from([0xa3])],
  ...[text('alg'), Buffer.from([0x26]), text('sig'), bytes(Buffer.alloc(8))],
  ...[text('x5c'), Buffer.from([0x81]), bytes(Buffer.alloc(8))],
]);

/** @param site where the browser is */
export function createAuthenticator(site: string) {
  const { hostname, origin } = new URL(site);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';

  const clientData = (type: string, challenge: string, faults: Faults) =>
    Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge: faults.challenge ?? challenge,
        origin: faults.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (flags: number, faults: Faults) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(faults.counter ?? ++counter);
    return Buffer.concat([sha256(faults.rpId ?? hostname), Buffer.from([flags | (faults.flags ?? 5)]), count]);
  };

  return {
    id: base64url(id),
    /** The credential for POST /v1/passkeys. */
    create({ challenge, user }: { challenge: string; user: { id: string } }, faults: Faults = {}) {
      userHandle = user.id;
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
        bytes(Buffer.from(x, 'base64url')),
        Buffer.from([0x22]),
        bytes(Buffer.from(y, 'base64url')),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const data = Buffer.concat([authenticatorData(0x40, faults), attested]);
      return {
        id: base64url(id),
        client_data: base64url(clientData('webauthn.create', challenge, faults)),
        attestation: base64url(
          Buffer.concat([Buffer.from([0xa3]), faults.attestation ?? NONE, text('authData'), bytes(data)]),
        ),
        transports: ['internal'],
      };
    },
    /** The credential for POST /v1/session/passkey and /v1/session/confirm. */
    sign({ challenge }: { challenge: string }, faults: Faults = {}) {
      const client = clientData('webauthn.get', challenge, faults);
      const data = authenticatorData(0, faults);
      return {
        id: base64url(id),
        client_data: base64url(client),
        authenticator_data: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
        user_handle: userHandle,
      };
    },
  };
}
