// Passes the account's token to git through a credential helper that reads it from the environment of that git
// process. The token is never part of a URL, an argument or a file, and only the server of the repository receives
// it.
import { hostFailure } from '../../shared/messages/host-failures.js';
import { BuildStepError } from '../contract/build-step-error.js';

const TOKEN_VARIABLE = 'CIDERMILL_GIT_TOKEN';
const USER_VARIABLE = 'CIDERMILL_GIT_USER';

/** User names that code hosts require with a token; all others accept any name. */
const USER_OF_HOST: Readonly<Record<string, string>> = {
  'bitbucket.org': 'x-token-auth',
  'gitlab.com': 'oauth2',
};
const USER_ELSEWHERE = 'x-access-token';

/** Configuration (as for `-c`) and environment of one git process. */
export interface GitSettings {
  config: (readonly [name: string, value: string])[];
  env: Record<string, string>;
}

/**
 * @param origin the repository's origin, e.g. `https://github.com`
 * @param token the secret's value: a token, or `user:token`
 * @throws BuildStepError (clone_failed) for a token with control characters
 */
export function credentialSettings(origin: string, token: string | null): GitSettings {
  // An empty helper removes the helpers of other configuration files.
  const none = ['credential.helper', ''] as const;
  const value = token?.trim() ?? '';
  if (value === '') return { config: [none], env: {} };
  if (/[\0-\x1f\x7f]/.test(value)) {
    throw new BuildStepError('source', 'clone_failed', 'customer', hostFailure('token_not_text'));
  }
  const colon = value.indexOf(':');
  const user = colon > 0 ? value.slice(0, colon) : (USER_OF_HOST[new URL(origin).hostname] ?? USER_ELSEWHERE);
  return {
    config: [none, [`credential.${origin}.helper`, helper(USER_VARIABLE, TOKEN_VARIABLE)]],
    env: { [USER_VARIABLE]: user, [TOKEN_VARIABLE]: colon > 0 ? value.slice(colon + 1) : value },
  };
}

/**
 * Returns the configuration section for git commands that the build runs itself. It refers to the variable GIT_TOKEN
 * of the build's environment and does not contain the token.
 */
export function credentialFileSection(origin: string, token: string): string {
  const colon = token.trim().indexOf(':') > 0;
  const host = new URL(origin).hostname;
  const answer = colon
    ? 'echo "username=$(echo "$GIT_TOKEN" | cut -d: -f1)"; echo "password=$(echo "$GIT_TOKEN" | cut -d: -f2-)"'
    : `echo username=${USER_OF_HOST[host] ?? USER_ELSEWHERE}; echo "password=$GIT_TOKEN"`;
  const quoted = `!f() { test "$1" = get && { ${answer}; }; }; f`.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `[credential "${origin}"]\n\thelper = "${quoted}"\n`;
}

function helper(userVariable: string, tokenVariable: string): string {
  return `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${userVariable}" "$${tokenVariable}"; }; f`;
}
