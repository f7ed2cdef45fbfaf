// GitLab: POST /projects/{path}/statuses/{sha}.
import type { CommitState } from '../../builds/domain/commit-state.js';
import { type CodeHostOptions, type CodeHostStatuses, noAnswer, postJson, refusal } from './code-host.js';

const STATES: Readonly<Record<CommitState, string>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  // GitLab has no error state, and an error is no verdict on the commit either.
  error: 'canceled',
};

/** @example createGitLabStatuses({ url: 'https://gitlab.com/api/v4', timeoutMs: 10_000, clock }) */
export function createGitLabStatuses({ url, timeoutMs, clock }: CodeHostOptions): CodeHostStatuses {
  return {
    secretNames: ['GITLAB_STATUS_TOKEN', 'GITHUB_STATUS_TOKEN'],
    async post({ repository, commit, state, description, targetUrl, context, token }) {
      try {
        const answer = await postJson(
          `${url}/projects/${encodeURIComponent(repository)}/statuses/${commit}`,
          { 'private-token': token, 'user-agent': 'cidermill' },
          { state: STATES[state], target_url: targetUrl, description, name: context },
          timeoutMs,
        );
        if (answer.status === 201) return { ok: true };
        // GitLab refuses a state that the commit already has.
        if (answer.status === 400 && /Cannot transition status/.test(answer.message)) return { ok: true };
        return refusal('GitLab', answer, clock.now());
      } catch (error) {
        return noAnswer('GitLab', error);
      }
    },
  };
}
