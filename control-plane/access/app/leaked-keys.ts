// Reports of leaked keys: the key is revoked immediately, and its account is notified.

import { cleanText } from '../../../shared/clean-text.js';
import type { Log } from '../../../shared/log.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { anonymous } from '../../platform/domain/audit-entry.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { type ApiKey, hashKey, isKeyForm } from '../domain/api-key.js';
import { LEAKED_KEY } from '../domain/audit-actions.js';
import { isSignedReport, keyLeaked, leakReport } from '../domain/leak-report.js';
import type { SecretScanningKeys } from '../outbound/secret-scanning-keys.js';
import { isKnownKey, revokeApiKey, setLeakedUrl } from '../store/api-keys.js';
import type { AuditLog } from './audit-log.js';
import { type NotifyDeps, notify } from './notices.js';

/** known: a key of this service that had been revoked before. */
export type ReportOutcome = 'revoked' | 'known' | 'unknown';

export interface ReportedToken {
  readonly tokenHash: string;
  readonly outcome: ReportOutcome;
}

const LONGEST_URL = 2_000;

export interface LeakedKeys {
  /** Revokes the key: anybody who holds it may do so. */
  report(token: string, ip: string): Promise<ReportOutcome>;
  /** Handles a signed list of keys. Throws invalid_request unless the signature is GitHub's. */
  reportSigned(body: Buffer, signed: { identifier: string; signature: string }, ip: string): Promise<ReportedToken[]>;
}

export function createLeakedKeys(deps: {
  store: Store;
  clock: { now(): number };
  auditLog: Pick<AuditLog, 'append'>;
  scanningKeys: SecretScanningKeys;
  notices: NotifyDeps;
  log: Log;
}): LeakedKeys {
  const { store, clock, auditLog, scanningKeys, notices, log } = deps;
  const tell = async (tx: Transaction, key: ApiKey, ip: string, url: string | null) => {
    const { keyId, accountId } = key;
    await auditLog.append(tx, { ...anonymous, accountId, ip, action: LEAKED_KEY, target: keyId });
    if (accountId === null) return;
    await notify(tx, notices, { accountId, kind: 'key_leaked', says: keyLeaked(key, url) });
  };
  const report = async (token: string, ip: string, given?: string): Promise<ReportOutcome> => {
    if (!isKeyForm(token)) return 'unknown';
    const url = given ? cleanText(given, LONGEST_URL) : null;
    const hash = hashKey(token);
    const outcome = await store.transaction(async (tx): Promise<ReportOutcome> => {
      const key = await revokeApiKey(tx, { hash }, 'leaked', clock.now());
      if (url !== null) await setLeakedUrl(tx, hash, url);
      if (!key) return (await isKnownKey(tx, hash)) ? 'known' : 'unknown';
      await tell(tx, key, ip, url);
      return 'revoked';
    });
    if (outcome === 'revoked') {
      log.warn({ found_at: url }, 'an API key was found in public and has been revoked');
    }
    return outcome;
  };
  const unsigned = (cause?: unknown) =>
    fieldError('invalid_request', 'github-public-key-signature', fieldProblem('invalid'), {
      message: 'The signature is not valid for secret scanning.',
      cause,
    });
  return {
    report: (token, ip) => report(token, ip),
    async reportSigned(body, { identifier, signature }, ip) {
      const pem = await scanningKeys.find(identifier).catch((error: unknown) => {
        log.error({ err: error }, 'failed to verify a report of leaked keys');
        throw unsigned(error);
      });
      if (pem === null || !isSignedReport(pem, signature, body)) throw unsigned();
      const results: ReportedToken[] = [];
      for (const { token, url } of readReport(body)) {
        results.push({ tokenHash: hashKey(token), outcome: await report(token, ip, url) });
      }
      return results;
    },
  };
}

function readReport(body: Buffer) {
  try {
    return leakReport.parse(JSON.parse(body.toString()));
  } catch (cause) {
    throw fieldError('invalid_request', 'token', fieldProblem('invalid'), { cause });
  }
}
