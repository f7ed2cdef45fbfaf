// Summaries of notices to operators: what has begun or is over, for one host, tier or payment by name, or for several. A host
// that was removed, or a tier that is no longer sold, counts as over.
import { sentences } from './message.js';

export const operatorNotices = sentences({
  test: { en: 'this is a test of operator notices', ko: '운영자 알림 테스트입니다' },

  host_offline: { en: 'host {name} is offline', ko: '호스트 {name}의 연결이 끊겼습니다' },
  host_offline_many: { en: '{count, number} hosts are offline', ko: '호스트 {count}대의 연결이 끊겼습니다' },
  host_offline_over: { en: 'host {name} is no longer offline', ko: '호스트 {name}의 연결 끊김이 해소되었습니다' },
  host_offline_over_many: {
    en: '{count, number} hosts are no longer offline',
    ko: '호스트 {count}대의 연결 끊김이 해소되었습니다',
  },

  host_unhealthy: { en: 'host {name} is unhealthy', ko: '호스트 {name}의 점검이 실패했습니다' },
  host_unhealthy_many: { en: '{count, number} hosts are unhealthy', ko: '호스트 {count}대의 점검이 실패했습니다' },
  host_unhealthy_over: {
    en: 'host {name} is no longer unhealthy',
    ko: '호스트 {name}의 점검 실패가 해소되었습니다',
  },
  host_unhealthy_over_many: {
    en: '{count, number} hosts are no longer unhealthy',
    ko: '호스트 {count}대의 점검 실패가 해소되었습니다',
  },

  host_disk_low: { en: 'host {name} is low on disk space', ko: '호스트 {name}의 디스크 공간이 부족합니다' },
  host_disk_low_many: {
    en: '{count, number} hosts are low on disk space',
    ko: '호스트 {count}대의 디스크 공간이 부족합니다',
  },
  host_disk_low_over: {
    en: 'host {name} is no longer low on disk space',
    ko: '호스트 {name}의 디스크 공간 부족이 해소되었습니다',
  },
  host_disk_low_over_many: {
    en: '{count, number} hosts are no longer low on disk space',
    ko: '호스트 {count}대의 디스크 공간 부족이 해소되었습니다',
  },

  host_credential_conflict: {
    en: 'two agents use the credential of host {name}',
    ko: '호스트 {name}의 인증 정보를 두 에이전트가 사용하고 있습니다',
  },
  host_credential_conflict_many: {
    en: 'the credentials of {count, number} hosts are used by two agents each',
    ko: '호스트 {count}대의 인증 정보를 두 에이전트가 사용하고 있습니다',
  },
  host_credential_conflict_over: {
    en: 'the credential of host {name} is no longer used by two agents',
    ko: '호스트 {name}의 인증 정보 중복 사용이 해소되었습니다',
  },
  host_credential_conflict_over_many: {
    en: 'the credentials of {count, number} hosts are no longer used by two agents each',
    ko: '호스트 {count}대의 인증 정보 중복 사용이 해소되었습니다',
  },

  host_macs_failing: { en: 'host {name} cannot make its Macs', ko: '호스트 {name}: Mac을 만들지 못하고 있습니다' },
  host_macs_failing_many: {
    en: '{count, number} hosts cannot make their Macs',
    ko: '호스트 {count}대: Mac을 만들지 못하고 있습니다',
  },
  host_macs_failing_over: {
    en: 'host {name} can make its Macs again',
    ko: '호스트 {name}: Mac을 다시 만들 수 있습니다',
  },
  host_macs_failing_over_many: {
    en: '{count, number} hosts can make their Macs again',
    ko: '호스트 {count}대: Mac을 다시 만들 수 있습니다',
  },

  capacity_low: { en: 'tier {name} is nearly sold out', ko: '등급 {name}의 판매 가능한 슬롯이 거의 없습니다' },
  capacity_low_many: {
    en: '{count, number} tiers are nearly sold out',
    ko: '등급 {count}개의 판매 가능한 슬롯이 거의 없습니다',
  },
  capacity_low_over: {
    en: 'tier {name} is no longer nearly sold out',
    ko: '등급 {name}의 슬롯 부족이 해소되었습니다',
  },
  capacity_low_over_many: {
    en: '{count, number} tiers are no longer nearly sold out',
    ko: '등급 {count}개의 슬롯 부족이 해소되었습니다',
  },

  payment_unsettled: { en: 'payment {name} needs an operator', ko: '결제 {name}: 운영자의 처리가 필요합니다' },
  payment_unsettled_many: {
    en: '{count, number} payments need an operator',
    ko: '결제 {count}건: 운영자의 처리가 필요합니다',
  },
  payment_unsettled_over: { en: 'payment {name} is settled', ko: '결제 {name}: 정산이 완료되었습니다' },
  payment_unsettled_over_many: {
    en: '{count, number} payments are settled',
    ko: '결제 {count}건: 정산이 완료되었습니다',
  },
});
