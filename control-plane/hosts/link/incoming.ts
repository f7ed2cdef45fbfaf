// Parses messages of a host: an error names the path of the invalid field, never its value.
import type { z } from 'zod';
import { isObject } from '../../../shared/is-object.js';
import { CLOSE, commonProtocol, decodeOutput, OWN_PROTOCOLS } from '../../../shared/protocol/index.js';
import { withRefused } from '../../../shared/protocol/kinds.js';

/** Closes the link with `closeCode`; the message is sent to the host. */
export class InvalidMessage extends Error {
  readonly closeCode: number;
  constructor(message: string, closeCode: number = CLOSE.invalidMessage, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidMessage';
    this.closeCode = closeCode;
  }
}

/**
 * Throws InvalidMessage with the path of the error. `refused` says what was left out of its lists.
 *
 * @param before checks the raw JSON first
 */
export function parseMessage<T>(
  schema: z.ZodType<T>,
  text: string,
  before: (json: unknown) => void = () => {},
): { message: T; refused: readonly string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InvalidMessage('not JSON', CLOSE.invalidMessage, { cause: error });
  }
  before(json);
  const { result: parsed, refused } = withRefused(() => schema.safeParse(json));
  if (parsed.success) return { message: parsed.data, refused };
  const issue = parsed.error.issues[0];
  const type = isObject(json) && /^[a-z_]{1,30}$/.test(String(json.type)) ? json.type : 'message';
  throw new InvalidMessage(`${type}: ${issue?.path.join('.') || 'type'}: ${issue?.code ?? 'invalid'}`);
}

/** Decodes a binary frame. Throws InvalidMessage. */
export function decodeFrame(frame: Buffer): ReturnType<typeof decodeOutput> {
  try {
    return decodeOutput(frame);
  } catch (error) {
    throw new InvalidMessage('output frame: bad header', CLOSE.invalidMessage, { cause: error });
  }
}

/**
 * Negotiates the protocol version from a host's hello. Reads only the two version numbers, so that an older or
 * newer host gets a version error rather than an invalid field.
 */
export function agreeOnProtocol(hello: unknown): number {
  const { protocol: newest, oldest_protocol: oldest } = isObject(hello) ? hello : {};
  if (typeof newest !== 'number' || typeof oldest !== 'number') {
    throw new InvalidMessage('hello: protocol: missing');
  }
  const agreed = commonProtocol({ oldest, newest }, OWN_PROTOCOLS);
  if (agreed === null) {
    throw new InvalidMessage(
      `the host speaks link protocol ${range({ oldest, newest })}, the control plane ${range(OWN_PROTOCOLS)}`,
      CLOSE.protocolMismatch,
    );
  }
  return agreed;
}

const range = (r: { oldest: number; newest: number }) =>
  r.oldest === r.newest ? String(r.newest) : `${r.oldest} to ${r.newest}`;

/** A close reason is limited to 123 bytes. */
export function closeReason(text: string): string {
  let reason = text.slice(0, 123);
  while (Buffer.byteLength(reason) > 123) reason = reason.slice(0, -1);
  return reason;
}
