import type { CodeHostOptions, CodeHostStatuses } from './code-host.js';
import { createGitHubStatuses } from './github.js';
import { createGitLabStatuses } from './gitlab.js';

/** The status API of the configured code host, and its URL. */
export interface StatusApi {
  readonly kind: 'github' | 'gitlab';
  readonly url: string;
}

const adapters: Record<StatusApi['kind'], (options: CodeHostOptions) => CodeHostStatuses> = {
  github: createGitHubStatuses,
  gitlab: createGitLabStatuses,
};

/** The APIs of public code hosts, by host URL. */
export const knownStatusApis: Readonly<Record<string, StatusApi>> = {
  'https://github.com': { kind: 'github', url: 'https://api.github.com' },
  'https://gitlab.com': { kind: 'gitlab', url: 'https://gitlab.com/api/v4' },
};

export function openStatusApi(api: StatusApi, options: Omit<CodeHostOptions, 'url'>): CodeHostStatuses {
  return adapters[api.kind]({ ...options, url: api.url });
}
