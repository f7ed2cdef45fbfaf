// The connection to the identity provider: its document, and codes in exchange for tokens.
import type {
  ClientAuth,
  Configuration,
  CustomFetch,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import { type Clock, timeLimit } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { askServer } from '../../platform/outbound/configured-server.js';
import { isRefusedClient, reasonOf, Unanswered } from './identity-provider-errors.js';

export interface IdentityProviderSettings {
  /** https, or http on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
}

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Where the provider sends people back. */
  readonly redirectUri: string;
  /** For each request to the provider. */
  readonly timeoutMs: number;
}

/** What binds an answer to its request; the person never sees `nonce` and `verifier`. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The parameters with which the provider sends the person back. */
export interface ProviderAnswer {
  readonly state: string;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
}

const LARGEST_ANSWER = 1024 * 1024;
/** The provider's document is read again, e.g. after it has moved an endpoint. */
const KNOWN_FOR_MS = 3_600_000;
/** A provider that does not answer is not asked again for each person who tries to sign in. */
const AFTER_FAILURE_MS = 5_000;

interface Exchanged {
  readonly config: Configuration;
  readonly tokens: TokenEndpointResponse & TokenEndpointResponseHelpers;
}

const library = () => import('openid-client');

/** Sends the library's requests, with limits of time and size. */
function createAsk(timeoutMs: number): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const timeout = timeLimit(timeoutMs);
    try {
      const answer = await askServer(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body === undefined || body === null ? {} : { body: String(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        longestAnswer: LARGEST_ANSWER,
      });
      if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
      const given = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      );
      const empty = answer.status === 204 || answer.status === 304;
      return new Response(empty ? null : answer.text, { status: answer.status, headers: given });
    } catch (cause) {
      throw new Unanswered(`${new URL(url).host} does not answer`, { cause });
    }
  };
}

export function createConnection(
  { issuer, clientId, clientSecret }: IdentityProviderSettings,
  { clock, log, redirectUri, timeoutMs }: ConnectionDeps,
) {
  let known: { readonly config: Configuration; readonly at: number } | null = null;
  let finding: Promise<Configuration> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  /** Providers differ in where they take the secret; the other place is tried when one is refused. */
  let secretIn: 'header' | 'body' = 'header';

  const ask = createAsk(timeoutMs);

  const discover = async (): Promise<Configuration> => {
    const { discovery, customFetch, allowInsecureRequests, enableNonRepudiationChecks, None } = await library();
    return discovery(new URL(issuer), clientId, undefined, None(), {
      [customFetch]: ask,
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    });
  };

  /** Throws identity_provider_unavailable. */
  const configuration = async (): Promise<Configuration> => {
    const now = clock.monotonic();
    if (known && now - known.at < KNOWN_FOR_MS) return known.config;
    if (now - failedAt < AFTER_FAILURE_MS) {
      if (known) return known.config;
      throw new ApiError('identity_provider_unavailable');
    }
    finding ??= discover().finally(() => {
      finding = null;
    });
    try {
      known = { config: await finding, at: clock.monotonic() };
      return known.config;
    } catch (error) {
      failedAt = clock.monotonic();
      log.warn({ issuer, ...reasonOf(error) }, 'failed to read the configuration of the identity provider');
      if (known) return known.config;
      throw new ApiError('identity_provider_unavailable');
    }
  };

  const withSecret = async (config: Configuration): Promise<Configuration> => {
    const { Configuration, ClientSecretBasic, ClientSecretPost, None, ...more } = await library();
    const auth: ClientAuth =
      clientSecret === null ? None() : (secretIn === 'header' ? ClientSecretBasic : ClientSecretPost)(clientSecret);
    const made = new Configuration(config.serverMetadata(), clientId, undefined, auth);
    made[more.customFetch] = ask;
    more.enableNonRepudiationChecks(made);
    if (issuer.startsWith('http:')) more.allowInsecureRequests(made);
    return made;
  };

  /** Returns the tokens, and the configuration that has got them. */
  const exchange = async (answer: ProviderAnswer, { state, nonce, verifier }: FlowSecrets): Promise<Exchanged> => {
    const { authorizationCodeGrant } = await library();
    const found = await configuration();
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const config = await withSecret(found);
    try {
      return { config, tokens: await authorizationCodeGrant(config, url, checks) };
    } catch (error) {
      if (clientSecret === null || !isRefusedClient(error)) throw error;
      secretIn = secretIn === 'header' ? 'body' : 'header';
      const other = await withSecret(found);
      return { config: other, tokens: await authorizationCodeGrant(other, url, checks) };
    }
  };

  return { configuration, exchange };
}
