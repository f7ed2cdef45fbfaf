// The state of a commit as code hosts know it.

export const commitStates = ['pending', 'success', 'failure', 'error'] as const;
export type CommitState = (typeof commitStates)[number];
