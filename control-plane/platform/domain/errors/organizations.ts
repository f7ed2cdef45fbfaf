// Errors about what an organization has: members, workspaces, keys.
import { clientError, type ErrorRow } from './row.js';

export const organizationsErrors = {
  keys_limit: {
    ...clientError(409),
    message: 'The organization has reached its limit of API keys.',
    advice: 'Revoke a key that is no longer needed.',
    next: [],
    example: { form: 'console' },
    en: 'Revoke a key that is no longer needed.',
    ko: ['조직에서 만들 수 있는 API 키 수를 초과했습니다.', '더 이상 쓰지 않는 키를 폐기하세요.'],
  },
  invites_limit: {
    ...clientError(409),
    message: 'The organization has reached its limit of open invitations.',
    advice: 'Revoke invitations that are no longer needed, or wait until some are accepted or expire.',
    next: [],
    example: { form: 'console' },
    en: 'Revoke an invitation that is no longer needed.',
    ko: ['대기 중인 초대가 너무 많습니다.', '필요 없는 초대를 취소하세요.'],
  },
  workspaces_limit: {
    ...clientError(409),
    message: 'The organization has reached its limit of workspaces.',
    advice: 'Remove a workspace that is no longer needed.',
    next: [],
    example: { form: 'console' },
    en: 'Remove a workspace that is no longer needed.',
    ko: ['조직에서 만들 수 있는 워크스페이스 수를 초과했습니다.', '더 이상 쓰지 않는 워크스페이스를 제거하세요.'],
  },
  workspace_in_use: {
    ...clientError(409),
    message: 'The workspace has active keys or unfinished builds.',
    advice: 'Revoke the keys of the workspace, and wait until its builds have ended or cancel them.',
    next: [],
    example: { form: 'console' },
    en: 'Revoke its keys and wait for its builds to end.',
    ko: [
      '사용 중인 키나 끝나지 않은 빌드가 있는 워크스페이스입니다.',
      '키를 폐기하고 빌드가 끝날 때까지 기다린 뒤 다시 시도하세요.',
    ],
  },
  last_workspace: {
    ...clientError(409),
    message: 'An organization must have at least one workspace.',
    advice: 'Create another workspace first, or rename this one.',
    next: [],
    example: { form: 'console' },
    en: 'Create another workspace first.',
    ko: ['조직에는 워크스페이스가 하나 이상 있어야 합니다.', '먼저 다른 워크스페이스를 만드세요.'],
  },
  last_owner: {
    ...clientError(409),
    message: 'The last owner can neither leave nor be demoted.',
    advice: 'Make another member an owner first.',
    next: [],
    example: { form: 'console' },
    en: 'Make another member an owner first.',
    ko: ['마지막 소유자는 나가거나 역할을 낮출 수 없습니다.', '먼저 다른 멤버를 소유자로 지정하세요.'],
  },
} as const satisfies Record<string, ErrorRow>;
