// GitHub and GitHub Enterprise Server: POST /repos/{owner}/{repo}/statuses/{sha}.
import { type CodeHostOptions, type CodeHostStatuses, noAnswer, postJson, refusal } from './code-host.js';

/** @example createGitHubStatuses({ url: 'https://api.github.com', timeoutMs: 10_000, clock }) */
export function createGitHubStatuses({ url, timeoutMs, clock }: CodeHostOptions): CodeHostStatuses {
  return {
    secretNames: ['GITHUB_STATUS_TOKEN'],
    async post({ repository, commit, state, description, targetUrl, context, token }) {
      const path = repository.split('/').map(encodeURIComponent).join('/');
      try {
        const answer = await postJson(
          `${url}/repos/${path}/statuses/${commit}`,
          {
            authorization: `Bearer ${token}`,
            accept: 'application/vnd.github+json',
            'x-github-api-version': '2022-11-28',
            'user-agent': 'cidermill',
          },
          { state, target_url: targetUrl, description, context },
          timeoutMs,
        );
        if (answer.status === 201) return { ok: true };
        // Rate limits are reported as 403 too.
        const { headers } = answer;
        const limited =
          answer.status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined);
        return refusal('GitHub', answer, clock.now(), limited);
      } catch (error) {
        return noAnswer('GitHub', error);
      }
    },
  };
}
