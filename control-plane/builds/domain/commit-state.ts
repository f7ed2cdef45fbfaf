// The state of a commit status on a code host.

export const commitStates = ['pending', 'success', 'failure', 'error'] as const;
export type CommitState = (typeof commitStates)[number];
