// What is wrong with a field of a request. The English sentence follows the name of the field: "hours: must be at least 1".
import { countOf } from '../count.js';
import { deliveryErrors } from './delivery-errors.js';
import { messagesOf, sentence, sentences } from './message.js';

const kinds = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type FieldKind = (typeof kinds)[number];

const kindNames: Readonly<Record<FieldKind, readonly [en: string, ko: string]>> = {
  string: ['a string', '문자열이어야'],
  number: ['a number', '숫자여야'],
  integer: ['a whole number', '정수여야'],
  boolean: ['true or false', 'true 또는 false여야'],
  array: ['an array', '목록이어야'],
  object: ['an object', '객체여야'],
};

const { not_a_url, url_with_password, not_http, not_https, port_not_allowed, address_not_public, name_not_resolved } =
  deliveryErrors;

export const fieldProblems = sentences({
  required: { en: 'required', ko: '필수 항목입니다.' },
  wrong_type: sentence(
    { kind: kinds },
    {
      en: ({ kind }) => `must be ${kindNames[kind][0]}`,
      ko: ({ kind }) => `${kindNames[kind][1]} 합니다.`,
    },
  ),
  invalid: { en: 'is not valid', ko: '올바르지 않은 값입니다.' },
  // Only the sentence of a shape is known.
  refused: { en: '{reason}', ko: '올바르지 않은 값입니다: {reason}' },

  too_short: sentence(
    { least: 'number' },
    {
      en: ({ least }) => `must have at least ${countOf(least, 'character')}`,
      ko: ({ least }) => `${least}자 이상이어야 합니다.`,
    },
  ),
  too_long: sentence(
    { most: 'number' },
    {
      en: ({ most }) => `must have at most ${countOf(most, 'character')}`,
      ko: ({ most }) => `${most}자까지 입력할 수 있습니다.`,
    },
  ),
  too_many_bytes: sentence(
    { most: 'number' },
    {
      en: ({ most }) => `must have at most ${countOf(most, 'byte')}`,
      ko: ({ most }) => `${most}바이트까지 입력할 수 있습니다.`,
    },
  ),
  too_few: sentence(
    { least: 'number' },
    {
      en: ({ least }) => `must have at least ${countOf(least, 'entry', 'entries')}`,
      ko: ({ least }) => `${least}개 이상이어야 합니다.`,
    },
  ),
  too_many: sentence(
    { most: 'number' },
    {
      en: ({ most }) => `must have at most ${countOf(most, 'entry', 'entries')}`,
      ko: ({ most }) => `${most}개까지 가능합니다.`,
    },
  ),
  wrong_count: {
    en: 'must have {wanted, number} entries (got {got, number})',
    ko: '{wanted}개여야 합니다(입력: {got}개).',
  },
  too_small: { en: 'must be at least {least, number}', ko: '{least} 이상이어야 합니다.' },
  too_large: { en: 'must be at most {most, number}', ko: '{most} 이하여야 합니다.' },
  not_between: {
    en: 'must be from {least, number} to {most, number}',
    ko: '{least}~{most} 사이여야 합니다.',
  },
  not_a_multiple: { en: 'must be a multiple of {step, number}', ko: '{step}의 배수여야 합니다.' },
  zero: { en: 'must not be 0', ko: '0은 입력할 수 없습니다.' },

  invalid_choice: { en: 'must be one of {choices}', ko: '다음 중 하나여야 합니다: {choices}' },
  other_value: { en: 'must be {value}', ko: '{value}만 가능합니다.' },
  invalid_format: { en: 'does not have the expected format', ko: '형식이 올바르지 않습니다.' },
  invalid_email: { en: 'is not a valid e-mail address', ko: '올바른 이메일 주소가 아닙니다.' },
  invalid_range: {
    en: 'must be an IP address or a range such as 10.0.0.0/8 (got {value})',
    ko: 'IP 주소나 10.0.0.0/8 같은 범위를 입력하세요(입력: {value}).',
  },
  invalid_time: { en: 'must be an ISO 8601 time', ko: '날짜와 시간을 ISO 8601 형식으로 입력하세요.' },
  invalid_moment: {
    en: 'must be an ISO 8601 time, or a period such as 12h or 7d',
    ko: 'ISO 8601 시간이나 12h, 7d 같은 기간을 입력하세요.',
  },
  not_a_cursor: { en: 'must be a cursor from an earlier page', ko: '이전 페이지에서 받은 값이 아닙니다.' },
  not_after: {
    en: 'must be after {other}, by at most {days, number} days',
    ko: '{other} 이후이고 차이가 {days}일 이하여야 합니다.',
  },
  too_many_steps: {
    en: 'must divide the range into at most {most, number} steps',
    ko: '기간을 {most}개 이하로 나누어야 합니다.',
  },
  in_the_past: { en: 'must be in the future', ko: '현재 이후의 시각이어야 합니다.' },
  too_late: { en: 'must be {latest} or earlier', ko: '{latest} 이전이어야 합니다.' },
  invalid_secret_name: {
    en: 'may contain only capital letters, digits and underscores, and must not begin with a digit',
    ko: '영문 대문자, 숫자, 밑줄만 사용할 수 있고 숫자로 시작할 수 없습니다.',
  },
  variable_of_builds: {
    en: '{name} is reserved: builds use this variable themselves',
    ko: '빌드가 사용하는 변수입니다: {name}',
  },
  variable_of_shells: {
    en: '{name} is a variable that shells manage themselves',
    ko: '셸이 직접 관리하는 변수라 빌드에서 볼 수 없습니다: {name}',
  },
  invalid_slug: {
    en: 'may contain only lower-case letters, digits and hyphens, and must begin and end with a letter or digit',
    ko: '영문 소문자, 숫자, 하이픈만 사용할 수 있고 문자나 숫자로 시작하고 끝나야 합니다.',
  },
  invalid_tier_id: {
    en: 'may contain only lower-case letters, digits, dots and hyphens',
    ko: '영문 소문자, 숫자, 마침표, 하이픈만 사용할 수 있습니다.',
  },
  invalid_image: {
    en: 'must be the name of an image, such as ghcr.io/owner/name:tag (got {value})',
    ko: 'ghcr.io/owner/name:tag 같은 이미지 이름을 입력하세요(입력: {value}).',
  },
  invalid_labels: {
    en: 'must have keys and values of 1 to 63 characters from a-z, 0-9, ".", "_", "/" and "-", which begin and end with a letter or digit',
    ko: '레이블의 키와 값은 1~63자의 영문 소문자, 숫자, ".", "_", "/", "-"로 쓰고 문자나 숫자로 시작하고 끝나야 합니다.',
  },
  invalid_address: {
    en: 'must be an address like https://macs.example (got {value})',
    ko: 'https://macs.example 같은 주소를 입력하세요(입력: {value}).',
  },
  invalid_base64: {
    en: 'must be standard base64 with its padding',
    ko: '패딩을 포함한 표준 base64여야 합니다.',
  },
  control_characters: {
    en: 'must not contain control characters',
    ko: '제어 문자는 사용할 수 없습니다.',
  },
  nul_character: { en: 'must be text without NUL', ko: 'NUL이 없는 텍스트여야 합니다.' },
  half_a_surrogate: {
    en: 'the escape at character {position, number} of the body is half of a surrogate pair, which is not valid text',
    ko: '본문의 {position}번째 문자에 있는 이스케이프가 서로게이트 쌍의 절반이라 텍스트가 아닙니다.',
  },
  like_an_id: {
    en: 'must not begin like an id (rt_, rb_, op_ or RT-), because commands take names and ids',
    ko: 'rt_, rb_, op_, RT-처럼 ID로 보이는 이름은 사용할 수 없습니다.',
  },

  duplicate: { en: 'must have each value only once (got {value} again)', ko: '같은 값이 두 번 있습니다: {value}' },
  each_once: { en: 'must have each value only once', ko: '같은 값을 두 번 이상 넣을 수 없습니다.' },
  taken: { en: '{value} is in use', ko: '이미 사용 중입니다: {value}' },
  member_already: { en: '{email} is a member already', ko: '이미 멤버입니다: {email}' },
  unknown_workspace: { en: 'the organization has no workspace {value}', ko: '조직에 없는 워크스페이스입니다: {value}' },
  unknown_labels: {
    en: 'no Mac for this build has {labels}',
    ko: '이 빌드를 실행할 수 있는 Mac 중에 없는 레이블입니다: {labels}',
  },
  unknown_tier: { en: 'there is no tier "{value}"', ko: '없는 등급입니다: {value}' },
  unknown_xcode: { en: '{value} is not among the Xcode versions of the tier', ko: '등급에 없는 Xcode입니다: {value}' },
  tier_without_image: {
    en: 'the tier {tier} has no image; set the image of the tier first',
    ko: '등급에 이미지가 없습니다. 먼저 이미지를 설정하세요: {tier}',
  },
  tier_without_hosts: { en: 'the tier {tier} has no hosts', ko: '호스트가 없는 등급입니다: {tier}' },
  too_many_tiers: { en: 'there can be at most {most, number} tiers', ko: '등급은 {most}개까지 만들 수 있습니다.' },
  several_macs: {
    en: '{value} is the name of several Macs: {macs}; use the id, or name the organization',
    ko: '이름이 {value}인 Mac이 여러 대 있습니다. ID를 사용하거나 조직을 지정하세요: {macs}',
  },
  several_hosts: {
    en: '{value} is the name of several hosts: {ids}; use the id',
    ko: '이름이 {value}인 호스트가 여러 대 있습니다. ID를 사용하세요: {ids}',
  },
  no_package: {
    en: 'the service has no package of version {version}; it has {known}',
    ko: '{version} 버전의 패키지가 없습니다. 있는 버전: {known}',
  },
  no_packages: {
    en: 'the service has no packages of the host agent; make them with npm run package',
    ko: '서비스에 호스트 에이전트 패키지가 없습니다. npm run package로 만드세요.',
  },
  rental_of_order: {
    en: 'belongs to the order {order}; refund the order instead',
    ko: '주문에 속한 대여입니다. 대신 주문을 환불하세요: {order}',
  },
  more_than_macos_runs: {
    en: 'must be at most {most, number}: Macs of {tier} are virtual machines, and macOS runs no more at a time',
    ko: '{most} 이하여야 합니다. {tier} 등급의 Mac은 가상 머신이고 macOS는 동시에 {most}개까지만 실행합니다.',
  },
  more_than_hosts: {
    en: 'must be at most {most, number}, the most that a host of the tier has',
    ko: '등급의 호스트 중 가장 큰 값인 {most} 이하여야 합니다.',
  },
  more_than_left: {
    en: 'must be at most {most, number}, the amount that can still be withdrawn',
    ko: '취소할 수 있는 금액인 {most} 이하여야 합니다.',
  },
  changed_meanwhile: {
    en: 'is {now} now, not {shown}',
    ko: '값이 바뀌었습니다. 지금은 {now}입니다(표시된 값: {shown}).',
  },
  only_developers: {
    en: '{email} is an owner or admin and sees all workspaces; only developers see some',
    ko: '소유자와 관리자는 모든 워크스페이스를 봅니다: {email}',
  },
  wrong_password: { en: 'the password is wrong', ko: '비밀번호가 올바르지 않습니다.' },
  needs_other: { en: 'needs {other}', ko: '{other} 값도 있어야 합니다.' },
  not_with_other: { en: 'cannot be given with {other}', ko: '{other} 값과 함께 보낼 수 없습니다.' },
  exactly_one: { en: 'exactly one of {names} is needed', ko: '다음 중 하나만 있어야 합니다: {names}' },
  one_of_needed: { en: 'one of {names} is needed', ko: '다음 중 하나는 있어야 합니다: {names}' },
  nothing_to_change: { en: 'nothing to change', ko: '바꿀 내용이 없습니다.' },

  unknown_field: { en: 'unknown; did you mean {nearest}?', ko: '없는 필드입니다. {nearest}인지 확인하세요.' },
  unknown_field_of: { en: 'unknown; known: {known}.', ko: '없는 필드입니다. 가능한 필드: {known}' },
  unknown_field_here: { en: 'unknown; this request has no fields.', ko: '이 요청에는 필드가 없습니다.' },
  given_twice: { en: 'is given more than once', ko: '두 번 이상 지정되었습니다.' },

  not_a_url,
  url_with_password,
  not_http,
  not_https,
  port_not_allowed,
  address_not_public,
  name_not_resolved,
});

/** @example fieldProblem('too_long', { most: 60 }) */
export const fieldProblem = messagesOf(fieldProblems);
