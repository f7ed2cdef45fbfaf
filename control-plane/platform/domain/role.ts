// The roles of people in an organization.

export const roles = ['owner', 'admin', 'developer'] as const;
export type Role = (typeof roles)[number];

/** A developer sees the workspaces of the membership. */
export const seesAllWorkspaces = (role: Role): boolean => role !== 'developer';
