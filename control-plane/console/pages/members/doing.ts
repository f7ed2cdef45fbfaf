import type { Invite, Member } from '../../../../client/types.js';

/** What is being done, in a dialog. */
export type Doing =
  /** `again`: the invitation to send once more. */
  | { readonly what: 'invite'; readonly again?: Invite }
  | { readonly what: 'revoke'; readonly invite: Invite }
  | { readonly what: 'edit' | 'remove'; readonly member: Member };
