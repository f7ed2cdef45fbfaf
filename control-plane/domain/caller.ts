// Who is asking: settled once by an authenticator, then handed to the use cases.

export type Level = 'read' | 'build' | 'manage';

export interface Account {
  readonly id: number;
  readonly orgId: string;
  readonly name: string;
  readonly slug: string;
  readonly status: 'active' | 'suspended' | 'closed';
  readonly paymentsBlocked: boolean;
}

export interface Caller {
  readonly account: Account;
  readonly workspaceId: string;
  /** The API key, or null for a console session. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly levels: readonly Level[];
    readonly cidrs: readonly string[];
    readonly expiresAt: number | null;
  } | null;
  readonly levels: readonly Level[];
  readonly ip: string;
}
