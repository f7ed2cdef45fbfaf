import { memberLeft } from '../../control-plane/access/domain/member-notices.js';

/** A notice for tests that need any: that `who` has left. */
export const someNotice = (who = 'bob@example.com') => ({ kind: 'member_removed', says: memberLeft(who) });

export const someSubject = (who = 'bob@example.com') => `${who} has left the organization`;
