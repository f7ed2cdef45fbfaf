// An identity provider on a port of this machine, and a person who signs in there.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import type { Test } from 'tap';
import type { IdentityConfig } from '../../control-plane/identity-config.js';
import { listening } from './listening.js';

/** By what is typed as the login, which is the subject too. */
export type ProviderAccounts = Readonly<Record<string, { email?: string; email_verified?: boolean; name?: string }>>;

export const verified = (email: string, name = 'Ada') => ({ email, email_verified: true, name });

const CLIENT_SECRET = 'the-secret-of-the-client';

export interface IdentityProviderOptions {
  readonly accounts: ProviderAccounts;
  /** Of the service. Default: it is given to `register`. */
  readonly siteUrl?: string;
  /** Where the client's secret is taken. Default: client_secret_basic. */
  readonly secretIn?: 'client_secret_post';
}

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

export type TestIdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

export async function startIdentityProvider(t: Test, { accounts, siteUrl, secretIn }: IdentityProviderOptions) {
  let answer: Handle | null = null;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?', 1)[0]}`);
    if (answer) answer(request, response);
    else response.writeHead(503).end();
  });
  const port = await listening(t, server);
  const issuer = `http://127.0.0.1:${port}`;
  let redirectUri = '';
  let working: Handle | null = null;

  const register = (site: string) => {
    redirectUri = `${site}/sign-in/provider`;
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'cidermill',
          client_secret: CLIENT_SECRET,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: secretIn ?? 'client_secret_basic',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['cookies of a test'] },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...accounts[id] }),
      }),
    });
    working = provider.callback();
    answer = working;
  };
  if (siteUrl !== undefined) register(siteUrl);

  return {
    issuer,
    register,
    /** Requests so far. */
    asked,
    config: (more: Partial<IdentityConfig> = {}): IdentityConfig => ({
      issuer,
      clientId: 'cidermill',
      clientSecret: CLIENT_SECRET,
      allowedDomains: [],
      ...more,
    }),
    /** From now on each request is answered with 503, or left without an answer. */
    fail(how: 'error' | 'silence' | null) {
      const broken: Handle = (_, response) => void (how === 'error' && response.writeHead(503).end());
      answer = how === null ? working : broken;
    },
    /**
     * Signs in on the provider's pages and agrees, as a browser does.
     *
     * @param cookies of the browser; they change
     * @returns the parameters with which the browser is sent back to the service
     */
    visit: (url: string, login: string, cookies = new Map<string, string>()) =>
      visit(url, { login, cookies, until: redirectUri }),
  };
}

async function visit(
  from: string,
  { login, cookies, until }: { login: string; cookies: Map<string, string>; until: string },
): Promise<Record<string, string>> {
  let url = from;
  let body: URLSearchParams | null = null;
  for (let step = 0; step < 15; step++) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body ? { method: 'POST', body } : {}),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    body = null;
    if (location?.startsWith(until)) return Object.fromEntries(new URL(location).searchParams);
    if (location) {
      url = new URL(location, url).href;
      continue;
    }
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    if (!action || !prompt) throw new Error(`the provider answers ${response.status}: ${page.slice(0, 2_000)}`);
    url = new URL(action, url).href;
    body = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) });
  }
  throw new Error('the provider sends the browser round and round');
}
