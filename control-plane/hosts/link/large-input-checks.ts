// Checks of what a host sends in JSON, with results that can be passed between threads.
import { type AgentMessage, agentMessage } from '../../../shared/protocol/index.js';
import { agreeOnProtocol, InvalidMessage, parseMessage } from './incoming.js';
import { blobsBody } from './request-shapes.js';

type CheckedMessage =
  | { readonly message: AgentMessage; readonly refused: readonly string[] }
  | { readonly invalid: string; readonly closeCode: number };

type CheckedHashes =
  | { readonly hashes: readonly string[] }
  | { readonly invalid: string; readonly fields: readonly string[] };

const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

function messageOf(bytes: Uint8Array, before?: (json: unknown) => void): CheckedMessage {
  try {
    return parseMessage(agentMessage, textOf(bytes), before);
  } catch (error) {
    if (error instanceof InvalidMessage) return { invalid: error.message, closeCode: error.closeCode };
    throw error;
  }
}

function hashesOf(bytes: Uint8Array): CheckedHashes {
  let body: unknown;
  try {
    body = JSON.parse(textOf(bytes));
  } catch {
    return { invalid: 'The body is not JSON.', fields: [] };
  }
  const parsed = blobsBody.safeParse(body);
  if (parsed.success) return { hashes: parsed.data.sha256 };
  const fields = parsed.error.issues.map(({ path }) => path.join('.'));
  return { invalid: `Not valid: ${fields.join(', ')}.`, fields };
}

export const checks = {
  message: (bytes: Uint8Array) => messageOf(bytes),
  firstMessage: (bytes: Uint8Array) => messageOf(bytes, agreeOnProtocol),
  hashes: hashesOf,
};
export type Checks = typeof checks;
