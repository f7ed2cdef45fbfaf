// Why a change of hosts by an operator is refused, or leaves out a host.
import { messagesOf, sentence, sentences } from './message.js';

/** Of hosts that are no longer pending and have not been removed. */
const statuses = {
  active: { en: 'active', ko: '정상' },
  draining: { en: 'draining', ko: '비우는 중' },
  cordoned: { en: 'cordoned', ko: '신규 배정 중지' },
} as const;
const statusNames = ['active', 'draining', 'cordoned'] as const;

export const hostRefusals = sentences({
  pending: {
    en: 'The host is pending; approve it first.',
    ko: '승인되지 않은 호스트입니다. 먼저 승인하세요.',
  },
  removed: {
    en: 'The host has been removed; enroll it again.',
    ko: '제거된 호스트입니다. 다시 등록하세요.',
  },
  approved_already: sentence(
    { status: statusNames },
    {
      en: ({ status }) => `The host is ${statuses[status].en}; undrain it instead.`,
      ko: ({ status }) =>
        `이미 승인된 호스트입니다(상태: ${statuses[status].ko}). 다시 사용하려면 undrain을 실행하세요.`,
    },
  ),
  tier_needed: { en: 'Set the tier of the host first.', ko: '먼저 호스트의 등급을 설정하세요.' },
  no_tier: { en: 'The host has no tier yet.', ko: '호스트에 아직 등급이 없습니다.' },
  of_other_tier: {
    en: 'The host does not belong to the tier {tier}.',
    ko: '이 등급의 호스트가 아닙니다: {tier}',
  },
  macs_taken: {
    en: 'The tier cannot change while Macs of the host are rented or ordered.',
    ko: '호스트의 Mac이 대여 또는 주문된 동안에는 등급을 바꿀 수 없습니다.',
  },
  slot_taken: {
    en: 'A slot that would be removed is rented or ordered.',
    ko: '제거할 슬롯이 대여 또는 주문되어 있습니다.',
  },
  more_than_macos_runs: {
    en: 'macOS runs at most {most, number} virtual machines at a time.',
    ko: 'macOS는 가상 머신을 동시에 {most}개까지만 실행합니다.',
  },
  not_active: sentence(
    { status: ['pending', 'draining', 'cordoned', 'removed'] },
    {
      en: ({ status }) => `The host is ${status}; only an active one takes new Macs.`,
      ko: ({ status }) =>
        `호스트가 새 Mac을 받지 않는 상태입니다(${
          status === 'pending' ? '승인 대기' : status === 'removed' ? '제거됨' : statuses[status].ko
        }).`,
    },
  ),
  cannot_create_macs: {
    en: 'The host cannot create Macs now: {reason}',
    ko: '호스트가 지금 Mac을 만들 수 없습니다: {reason}',
  },

  upgrade_running: {
    en: 'An upgrade to {version} is running. Wait until it has ended, or cancel it.',
    ko: '{version} 버전으로 업그레이드하는 중입니다. 끝날 때까지 기다리거나 취소하세요.',
  },
  no_upgrade: { en: 'No upgrade is running.', ko: '진행 중인 업그레이드가 없습니다.' },

  removed_cannot_move: {
    en: 'A removed host cannot move to another address.',
    ko: '제거된 호스트는 옮길 수 없습니다.',
  },
  never_connected: { en: 'The host has never connected.', ko: '호스트가 한 번도 연결되지 않았습니다.' },
  agent_cannot_move: {
    en: 'The agent of the host ({version}) cannot move to another address: upgrade the agent first.',
    ko: '호스트의 에이전트({version})는 주소를 옮길 수 없습니다. 먼저 업그레이드하세요.',
  },
  move_not_encrypted: {
    en: 'The host would move from {from} to an address that is not encrypted.',
    ko: '호스트가 암호화되지 않은 주소로 옮기게 됩니다(현재 주소: {from}).',
  },
});

/** @example hostRefusal('upgrade_running', { version: '1.2.0' }) */
export const hostRefusal = messagesOf(hostRefusals);
