// How git gets the account's token: from a helper that reads it out of the environment of the git process that
// needs it. The token is in no address, no argument and no file, and only the repository's own server is given it.
import { BuildStepError } from '../contract/build-step-error.js';

const TOKEN_VARIABLE = 'CIDERMILL_GIT_TOKEN';
const USER_VARIABLE = 'CIDERMILL_GIT_USER';

/** Names that code hosts want beside a token; any other takes every name. */
const USER_OF_HOST: Readonly<Record<string, string>> = {
  'bitbucket.org': 'x-token-auth',
  'gitlab.com': 'oauth2',
};
const USER_ELSEWHERE = 'x-access-token';

/** Settings (as `-c` would take them) and environment for one git process. */
export interface GitSettings {
  config: (readonly [name: string, value: string])[];
  env: Record<string, string>;
}

/**
 * @param origin of the repository's address, e.g. `https://github.com`
 * @param token the secret's value: a token, or `user:token`
 * @throws BuildStepError (clone_failed) for a token that cannot be one
 */
export function credentialSettings(origin: string, token: string | null): GitSettings {
  // An empty helper drops those that come from elsewhere.
  const none = ['credential.helper', ''] as const;
  const value = token?.trim() ?? '';
  if (value === '') return { config: [none], env: {} };
  if (/[\0-\x1f\x7f]/.test(value)) {
    throw new BuildStepError(
      'source',
      'clone_failed',
      'customer',
      'The secret GIT_TOKEN holds line breaks or control characters, so it cannot be a token.',
    );
  }
  const colon = value.indexOf(':');
  const user = colon > 0 ? value.slice(0, colon) : (USER_OF_HOST[new URL(origin).hostname] ?? USER_ELSEWHERE);
  return {
    config: [none, [`credential.${origin}.helper`, helper(USER_VARIABLE, TOKEN_VARIABLE)]],
    env: { [USER_VARIABLE]: user, [TOKEN_VARIABLE]: colon > 0 ? value.slice(colon + 1) : value },
  };
}

/**
 * The same for git commands of the build's own: its environment holds the secret GIT_TOKEN, and the configuration
 * file names only that variable.
 */
export function credentialFileSection(origin: string, token: string): string {
  const colon = token.trim().indexOf(':') > 0;
  const host = new URL(origin).hostname;
  const answer = colon
    ? 'echo "username=$(echo "$GIT_TOKEN" | cut -d: -f1)"; echo "password=$(echo "$GIT_TOKEN" | cut -d: -f2-)"'
    : `echo username=${USER_OF_HOST[host] ?? USER_ELSEWHERE}; echo "password=$GIT_TOKEN"`;
  const quoted = `!f() { test "$1" = get && { ${answer}; }; }; f`
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');
  return `[credential "${origin}"]\n\thelper = "${quoted}"\n`;
}

function helper(userVariable: string, tokenVariable: string): string {
  return `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${userVariable}" "$${tokenVariable}"; }; f`;
}
