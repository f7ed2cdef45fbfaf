import type { Language } from '../../../shared/language.js';
import type { NoticeText } from '../../../shared/messages/notice.js';
import { roleNames } from '../../../shared/messages/role-names.js';
import type { Role } from '../../platform/domain/role.js';

interface Invitation {
  readonly organization: string;
  readonly role: Role;
  readonly acceptUrl: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
}

const inviteMails: Readonly<Record<Language, (invitation: Invitation) => NoticeText>> = {
  en: ({ organization, role, acceptUrl, expiresAt }) => ({
    subject: `Invitation to ${organization}`,
    text: [
      `You have been invited to ${organization} on Cidermill as ${roleNames.en[role]}.`,
      `Accept the invitation here:\n${acceptUrl}`,
      `It works once, until ${new Date(expiresAt).toUTCString()}. If you did not expect it, ignore this e-mail.`,
    ].join('\n\n'),
  }),
  ko: ({ organization, role, acceptUrl, expiresAt }) => ({
    subject: `${organization} 조직 초대`,
    text: [
      `Cidermill의 ${organization} 조직에 ${roleNames.ko[role]}로 초대되었습니다.`,
      `아래 주소에서 초대를 수락하세요.\n${acceptUrl}`,
      `이 초대는 ${koreanTime(expiresAt)}까지 한 번만 사용할 수 있습니다. 예상하지 못한 초대라면 이 이메일을 무시하세요.`,
    ].join('\n\n'),
  }),
};

export const inviteMail = (language: Language, invitation: Invitation): NoticeText => inviteMails[language](invitation);

/** @example koreanTime(0) // '1970년 1월 1일 00:00 (UTC)' */
const koreanTime = (at: number): string =>
  `${new Intl.DateTimeFormat('ko-KR', { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' }).format(at)} (UTC)`;
