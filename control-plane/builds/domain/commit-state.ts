// The state of a commit as code hosts know it.

export const commitStates = ['pending', 'success', 'failure', 'error'] as const;
export type CommitState = (typeof commitStates)[number];

/** As it is shown with a build. */
export interface CommitStatus {
  /** What the code host has last been told; null: nothing yet. */
  readonly state: CommitState | null;
  /** Why it could not be told more. */
  readonly error: string | null;
}
