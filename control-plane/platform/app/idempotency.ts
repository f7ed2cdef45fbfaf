// Replays the first response to requests with the same Idempotency-Key, or reports a conflict.
import { hash } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import { canonicalJson } from '../domain/canonical-json.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { SharedLocks } from '../domain/shared-state.js';
import { findReply, insertReply, replaceReplyBody } from '../store/idempotency.js';
import type { Store, Transaction } from '../store/sql.js';
import { openedOrNull, type Vault } from './vault.js';

export interface SentReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A script in a reply that is stored elsewhere already. */
export interface StoredScript {
  readonly scriptId: number;
  readonly script: string;
}

/** The first request with a key. */
export interface Attempt {
  /** Stores the response in the transaction of the effect. Throws RepliedElsewhere if another process was faster. */
  record(tx: Transaction, reply: SentReply, stored?: StoredScript): Promise<void>;
  /** Stores a response without an effect, in a separate transaction. Throws RepliedElsewhere too. */
  recordAlone(reply: SentReply): Promise<void>;
  /** Replaces the body of the recorded response by a later state of the same effect. */
  amend(body: string): Promise<void>;
  /** Releases waiting duplicates. Must be called once, after success and failure. */
  end(): void;
}

export interface Idempotency {
  /**
   * Waits for a request in flight with the same key. Returns the response to replay, or an attempt if there is none.
   */
  begin(request: {
    accountId: number;
    /** Part of the key: the same request in another workspace is a different request. */
    workspaceId: string;
    key: string;
    fingerprint: string;
  }): Promise<{ replay: SentReply } | { attempt: Attempt }>;
}

/** Another process has stored a response for the key: roll back the transaction and replay that response. */
export class RepliedElsewhere extends Error {}

/** Returns the encryption context of a stored response. */
export const replyContext = (accountId: number, key: string) => `reply:${accountId}:${key}`;

/** Throws invalid_idempotency_key unless the key has 1 to `limits.idempotency_key_chars` visible ASCII characters. */
export function checkIdempotencyKey(key: string, limits: Limits): string {
  if (key.length > limits.idempotency_key_chars || !/^[\x21-\x7e]+$/.test(key)) {
    throw new ApiError('invalid_idempotency_key', {
      message: `Idempotency-Key must be 1 to ${limits.idempotency_key_chars} visible ASCII characters.`,
    });
  }
  return key;
}

/** Returns a hash of method, path (as sent, with query) and canonical body, by which requests are compared. */
export function requestFingerprint(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonicalJson(body)}`, 'hex');
}

export function createIdempotency(deps: {
  store: Store;
  clock: Clock;
  vault: Vault;
  limits: Limits;
  /** Where processes wait for each other; null: there is one process. */
  shared?: SharedLocks | null;
  /** Returns a script of the account, or null. */
  findScript(accountId: number, scriptId: number): Promise<string | null>;
}): Idempotency {
  const { store, clock, vault, limits, shared = null } = deps;
  const inFlight = new Map<string, Promise<void>>();

  return {
    async begin({ accountId, workspaceId, key, fingerprint: request }) {
      const fingerprint = `${request} ${workspaceId}`;
      const name = `${accountId}:${key}`;
      for (let first = inFlight.get(name); first; first = inFlight.get(name)) await first;
      let open = () => {};
      inFlight.set(name, new Promise((resolve) => (open = resolve)));
      let free: (() => void) | undefined;
      const end = () => {
        free?.();
        inFlight.delete(name);
        open();
      };
      const context = replyContext(accountId, key);
      try {
        // A request in another process may be the first.
        free = await shared?.acquire(`idempotency ${name}`);
        const stored = await findReply(store, accountId, key, clock.now() - limits.idempotency_ms);
        if (stored) {
          // The stored response may be visible before it is durable.
          await store.durable();
          end();
          // Replies stored before there were several workspaces have no workspace in their hash.
          const same = stored.fingerprint === fingerprint || stored.fingerprint === request;
          if (!same) throw new ApiError('idempotency_conflict');
          const kept = openedOrNull(() => vault.openBytes(stored.body, context));
          const body = kept && (await wholeBody(kept, stored, (id) => deps.findScript(accountId, id)));
          if (body === null) throw new ApiError('idempotency_reply_lost');
          return { replay: { status: stored.status, contentType: stored.contentType, body } };
        }
      } catch (error) {
        end();
        throw error;
      }
      let recorded: Buffer | null = null;
      const record: Attempt['record'] = async (tx, { status, contentType, body }, script) => {
        const now = clock.now();
        const since = now - limits.idempotency_ms;
        const { text, ...place } = withoutScript(body, script);
        const sealed = vault.sealBytes(text, context);
        const row = { accountId, key, fingerprint, status, contentType, body: sealed, now, since, ...place };
        if (!(await insertReply(tx, row))) throw new RepliedElsewhere();
        recorded = sealed;
      };
      const recordAlone: Attempt['recordAlone'] = (reply) => store.transaction((tx) => record(tx, reply));
      const amend: Attempt['amend'] = async (text) => {
        const body = recorded;
        if (body === null) throw new Error('there is no recorded response to amend');
        const next = vault.sealBytes(text, context);
        await store.transaction((tx) => replaceReplyBody(tx, { accountId, key, body, next }));
      };
      return { attempt: { record, recordAlone, amend, end } };
    },
  };
}

interface ScriptPlace {
  readonly scriptId: number | null;
  /** Where it belongs in the text, UTF-16 code units. */
  readonly scriptAt: number | null;
}

/** Takes the JSON of the script out of a reply. */
function withoutScript(body: string, stored?: StoredScript): ScriptPlace & { readonly text: string } {
  const literal = stored && JSON.stringify(stored.script);
  const at = literal === undefined ? -1 : body.indexOf(literal);
  if (stored === undefined || literal === undefined || at === -1) {
    return { text: body, scriptId: null, scriptAt: null };
  }
  const text = body.slice(0, at) + body.slice(at + literal.length);
  return { text, scriptId: stored.scriptId, scriptAt: at };
}

async function wholeBody(
  text: string,
  { scriptId, scriptAt }: ScriptPlace,
  find: (scriptId: number) => Promise<string | null>,
): Promise<string | null> {
  if (scriptId === null || scriptAt === null) return text;
  const script = await find(scriptId);
  return script === null ? null : text.slice(0, scriptAt) + JSON.stringify(script) + text.slice(scriptAt);
}
