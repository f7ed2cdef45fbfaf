// The roles of people in an organization.

export const roles = ['owner', 'admin', 'developer'] as const;
export type Role = (typeof roles)[number];

export const isRole = (text: string): text is Role => roles.some((role) => role === text);
