// The way to the identity provider and back. What binds an answer to its request is in a ticket that the browser keeps
// meanwhile, so nothing is stored of those who do not come back.
import type { Core } from '../../platform/app/core.js';
import { createTickets, type Tickets } from '../../platform/app/tickets.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { checkDomain, type IdentityClaims } from '../domain/identity-claims.js';
import { createToken, hashToken } from '../domain/session.js';
import type { FlowSecrets, IdentityProvider, ProviderAnswer } from '../outbound/identity-provider.js';
import { takeChallenge } from '../store/passkeys.js';

/** Why a person is sent to the provider. An answer for one purpose is not valid for another. */
export const identityPurposes = ['sign-in', 'invite', 'confirm', 'link'] as const;
export type IdentityPurpose = (typeof identityPurposes)[number];

/** The answer of the provider, with the ticket of its request. */
export interface IdentityAnswer extends ProviderAnswer {
  readonly token: string;
}

export interface BegunFlow {
  /** Address at the provider to which the person is sent. */
  readonly url: string;
  /** For the browser, which gives it back with the answer. */
  readonly token: string;
  readonly expiresAt: number;
}

export interface IdentityFlowDeps extends Pick<Core, 'store' | 'clock'> {
  readonly vault: Pick<Vault, 'sealBytes' | 'openBytes'>;
  readonly limits: Pick<Limits, 'identity_flow_ms' | 'session_absolute_ms'>;
  /** Null: none is configured. */
  readonly provider: IdentityProvider | null;
  /** Domains of e-mail addresses, in lower case; empty: any. */
  readonly allowedDomains: readonly string[];
}

/** Times of the provider are whole seconds. */
const ROUNDING_MS = 2_000;

export type IdentityFlow = ReturnType<typeof createIdentityFlow>;

export function createIdentityFlow(deps: IdentityFlowDeps) {
  const { store, clock, limits, provider, allowedDomains } = deps;
  const validMs = limits.identity_flow_ms;
  const tickets = Object.fromEntries(
    identityPurposes.map((purpose) => [purpose, createTickets(deps, { purpose: `identity-${purpose}`, validMs })]),
  ) as Record<IdentityPurpose, Tickets>;

  const configured = (): IdentityProvider => {
    if (!provider) throw new ApiError('identity_provider_missing');
    return provider;
  };

  /** Marks the ticket as used. Throws identity_refused when it was, or has expired. */
  const take = async (purpose: IdentityPurpose, token: string): Promise<FlowSecrets> => {
    const read = tickets[purpose].read(token);
    const isNew =
      read &&
      (await store.transaction((tx) =>
        takeChallenge(tx, { challengeHash: hashToken(token), expiresAt: read.expiresAt }),
      ));
    if (!isNew) throw new ApiError('identity_refused');
    const [state = '', nonce = '', verifier = ''] = read.id.split('.');
    return { state, nonce, verifier };
  };

  return {
    /** Null: none is configured. */
    provider: provider && { issuer: provider.issuer, name: provider.name },

    /** Throws identity_provider_missing, identity_provider_unavailable, secrets_unavailable. */
    async begin(purpose: IdentityPurpose): Promise<BegunFlow> {
      const secrets = { state: createToken(), nonce: createToken(), verifier: createToken() };
      const { state, nonce, verifier } = secrets;
      const { ticket: token, expiresAt } = tickets[purpose].issue(`${state}.${nonce}.${verifier}`);
      const within = Math.floor(limits.session_absolute_ms / 1_000);
      const url = await configured().addressOf(secrets, { asksAgain: purpose === 'confirm', within });
      return { url, token, expiresAt };
    },

    /**
     * Returns the person who has come back from the provider. Each answer is accepted once.
     *
     * @throws ApiError identity_refused, identity_provider_missing, identity_provider_declined,
     * identity_provider_unavailable, identity_email_unverified, identity_domain_refused
     */
    async claims(purpose: IdentityPurpose, { token, ...answer }: IdentityAnswer): Promise<IdentityClaims> {
      const idp = configured();
      const begunAt = (tickets[purpose].read(token)?.expiresAt ?? 0) - validMs;
      const claims = await idp.claims(answer, await take(purpose, token));
      // Some providers ignore that the person should be asked again. Those that do not say when it was are trusted.
      const late = claims.ageMs !== null && claims.ageMs > clock.now() - begunAt + ROUNDING_MS;
      if (purpose === 'confirm' && late) throw new ApiError('identity_refused');
      checkDomain(claims, allowedDomains);
      return claims;
    },
  };
}
