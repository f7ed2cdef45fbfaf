// The identity provider that the operator configured: OpenID Connect, authorization code flow with PKCE. The library is
// loaded when somebody uses it.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { IdentityClaims } from '../domain/identity-claims.js';
import {
  type ConnectionDeps,
  createConnection,
  type FlowSecrets,
  type IdentityProviderSettings,
  type ProviderAnswer,
} from './identity-provider-connection.js';
import { codeOf, reasonOf, textOf } from './identity-provider-errors.js';

export type { FlowSecrets, ProviderAnswer };

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

const library = () => import('openid-client');

export function createIdentityProvider(settings: IdentityProviderSettings, deps: ConnectionDeps) {
  const { issuer } = settings;
  const { log, redirectUri } = deps;
  const { configuration, exchange } = createConnection(settings, deps);

  return {
    issuer,
    /** As people know it. */
    name: new URL(issuer).host,

    /**
     * Returns the address at the provider where the person signs in.
     *
     * @param asksAgain the person must enter the password there again, or the like
     * @param within the longest age of a sign-in there, s
     * @throws ApiError identity_provider_unavailable
     */
    async addressOf(
      { state, nonce, verifier }: FlowSecrets,
      { asksAgain, within }: { readonly asksAgain: boolean; readonly within: number },
    ): Promise<string> {
      const config = await configuration();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // With it, providers say when the person has signed in there.
        max_age: String(asksAgain ? 0 : within),
        ...(asksAgain ? { prompt: 'login' } : {}),
      });
      return url.href;
    },

    /**
     * Returns who the person is. Throws identity_refused when the answer does not belong to the request, was used or
     * changed; identity_provider_declined, identity_provider_unavailable.
     */
    async claims(answer: ProviderAnswer, secrets: FlowSecrets): Promise<IdentityClaims> {
      try {
        const { config, tokens } = await exchange(answer, secrets);
        const token = tokens.claims();
        if (!token) throw new Error('no ID token');
        const { fetchUserInfo } = await library();
        const more =
          token.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await fetchUserInfo(config, tokens.access_token, token.sub)
            : token;
        return {
          issuer,
          subject: token.sub,
          email: textOf(more.email),
          emailVerified: more.email_verified === true,
          name: textOf(more.name) ?? textOf(token.name),
          ageMs: token.auth_time === undefined ? null : Math.max(0, token.iat - token.auth_time) * 1_000,
        };
      } catch (error) {
        if (error instanceof ApiError) throw error;
        const code = codeOf(error);
        log.warn({ issuer, code, ...reasonOf(error) }, 'failed to sign a person in with the identity provider');
        throw new ApiError(code);
      }
    },
  };
}
