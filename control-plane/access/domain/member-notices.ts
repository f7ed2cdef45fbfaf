// Notices about members. `by`: e-mail address of the person who made the change; null: an operator.
import { type NoticeMessage, organizationNotice } from '../../../shared/messages/notice.js';
import type { Role } from '../../platform/domain/role.js';

type By = string | null;

export function roleChanged(email: string, from: Role, to: Role, by: By): NoticeMessage {
  return by === null
    ? organizationNotice('role_changed_by_operator', { email, from, to })
    : organizationNotice('role_changed', { email, from, to, by });
}

export const memberLeft = (email: string): NoticeMessage => organizationNotice('member_left', { email });

export function memberRemoved(email: string, by: By): NoticeMessage {
  return by === null
    ? organizationNotice('member_removed_by_operator', { email })
    : organizationNotice('member_removed', { email, by });
}

export const memberJoined = (email: string, role: Role): NoticeMessage =>
  organizationNotice('member_joined', { email, role });
