// Mails about a forgotten password.
import { countOf } from '../../../shared/count.js';
import type { Language } from '../../../shared/language.js';
import type { NoticeText } from '../../../shared/messages/notice.js';

const linkMails: Readonly<Record<Language, (link: { resetUrl: string; minutes: number }) => NoticeText>> = {
  en: ({ resetUrl, minutes }) => ({
    subject: 'Choose a new password for Cidermill',
    text: [
      'Somebody, probably you, asked to choose a new password for this address.',
      `Choose it here:\n${resetUrl}`,
      `The link works once and expires after ${countOf(minutes, 'minute')}. If you did not ask for it, ignore this e-mail: your password does not change.`,
    ].join('\n\n'),
  }),
  ko: ({ resetUrl, minutes }) => ({
    subject: 'Cidermill 비밀번호 재설정',
    text: [
      '이 이메일 주소로 비밀번호 재설정 요청이 들어왔습니다.',
      `아래 주소에서 새 비밀번호를 설정하세요.\n${resetUrl}`,
      `이 링크는 ${minutes}분 동안 한 번만 사용할 수 있습니다. 직접 요청하지 않았다면 이 이메일을 무시하세요. 비밀번호는 바뀌지 않습니다.`,
    ].join('\n\n'),
  }),
};

/** @param link.minutes for which it works */
export const resetLinkMail = (language: Language, link: { resetUrl: string; minutes: number }): NoticeText =>
  linkMails[language](link);

const doneMails: Readonly<Record<Language, (siteUrl: string) => NoticeText>> = {
  en: (siteUrl) => ({
    subject: 'Your Cidermill password was changed',
    text: [
      `The password of this address at ${siteUrl} was changed with a link, and all sessions were ended.`,
      'If that was not you, ask the operator of the service for help at once.',
    ].join('\n\n'),
  }),
  ko: (siteUrl) => ({
    subject: 'Cidermill 비밀번호가 변경되었습니다',
    text: [
      `${siteUrl} 계정의 비밀번호가 재설정 링크로 변경되었고, 모든 세션이 종료되었습니다.`,
      '직접 변경하지 않았다면 바로 서비스 운영자에게 알리세요.',
    ].join('\n\n'),
  }),
};

export const passwordChangedMail = (language: Language, siteUrl: string): NoticeText => doneMails[language](siteUrl);
