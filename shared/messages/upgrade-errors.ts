// Why an agent was not upgraded, by the service and by its host.
import { messagesOf, sentences } from './message.js';

export const upgradeErrors = sentences({
  removed: { en: 'it was removed', ko: '제거된 호스트입니다' },
  not_connected: { en: 'it is not connected', ko: '연결되어 있지 않습니다' },
  agent_too_old: {
    en: 'its agent is too old to be upgraded from here',
    ko: '에이전트가 너무 오래되어 여기에서 업그레이드할 수 없습니다',
  },
  not_upgradable: {
    en: 'its agent cannot be upgraded from here',
    ko: '여기에서 업그레이드할 수 없는 에이전트입니다',
  },
  away: { en: 'it has not been connected for {minutes, number} min', ko: '{minutes}분 동안 연결되지 않았습니다' },
  runs_again: { en: 'it runs {version} again', ko: '다시 {version} 버전으로 실행 중입니다' },
  too_late: {
    en: 'it does not run the new version after {minutes, number} min',
    ko: '{minutes}분이 지나도 새 버전으로 실행되지 않습니다',
  },
  failed: { en: 'failed', ko: '실패했습니다' },
  rolled_back: { en: 'rolled_back', ko: '이전 버전으로 되돌렸습니다' },
  runs_newer: {
    en: 'it runs the newer version {newer}; use --to to install {version}',
    ko: '더 새로운 {newer} 버전을 실행 중입니다. {version} 버전을 설치하려면 --to를 지정하세요',
  },
  no_package: {
    en: 'there is no package of {version} for {platform}',
    ko: '{platform} 플랫폼용 {version} 패키지가 없습니다',
  },
  stopped_before: {
    en: 'the upgrade was stopped before this host was upgraded',
    ko: '시작하기 전에 업그레이드가 중단되었습니다',
  },
  stopped_while_upgrading: {
    en: 'the upgrade was stopped while the host was upgrading',
    ko: '호스트 업그레이드 중에 중단되었습니다',
  },
  cancelled_before: {
    en: 'the upgrade was canceled before this host was upgraded',
    ko: '시작하기 전에 업그레이드가 취소되었습니다',
  },
  cancelled_while_upgrading: {
    en: 'the upgrade was canceled while the host was upgrading',
    ko: '호스트 업그레이드 중에 취소되었습니다',
  },

  // By the host.
  did_not_start: {
    en: 'Version {to} did not start within {seconds, number} s; {from} runs again.',
    ko: '{to} 버전이 {seconds}초 안에 시작되지 않아 {from} 버전으로 되돌렸습니다.',
  },
  did_not_connect: {
    en: 'Version {to} did not connect to the service within {seconds, number} s; {from} runs again.',
    ko: '{to} 버전이 {seconds}초 안에 서비스에 연결되지 않아 {from} 버전으로 되돌렸습니다.',
  },
  crashed: {
    en: 'Version {to} ended {times, number} times before it was ready; {from} runs again.',
    ko: '{to} 버전이 준비되기 전에 {times}번 종료되어 {from} 버전으로 되돌렸습니다.',
  },
  start_not_recorded: {
    en: 'Version {to} was not started, because its start could not be recorded (is the disk full?); {from} runs again.',
    ko: '{to} 버전의 시작을 기록할 수 없어(디스크 공간을 확인하세요) 실행하지 않고 {from} 버전으로 되돌렸습니다.',
  },
  not_a_package: {
    en: 'this agent does not run from an installed package',
    ko: '설치된 패키지로 실행되는 에이전트가 아닙니다',
  },
  not_writable: {
    en: "{folder} is not writable for the agent's user ({code})",
    ko: '에이전트의 사용자에게 쓰기 권한이 없습니다: {folder} ({code})',
  },
  not_downloaded: {
    en: 'the package was not downloaded within {minutes, number} min',
    ko: '{minutes}분 안에 패키지를 내려받지 못했습니다',
  },
  another_upgrade: {
    en: 'another upgrade is running (process {pid, number})',
    ko: '다른 업그레이드가 실행 중입니다(프로세스 {pid})',
  },
  another_upgrade_unknown: {
    en: 'another upgrade is running',
    ko: '다른 업그레이드가 실행 중입니다',
  },
  disk_full: {
    en: 'the disk is full; {version} was not installed',
    ko: '디스크가 가득 차서 {version} 버전을 설치하지 못했습니다',
  },
  no_room: {
    en: '{free} are free on the disk of {folder}, and {needed} are needed',
    ko: '{folder} 디스크의 여유 공간이 {free}입니다. {needed}가 필요합니다',
  },
  wrong_sha256: {
    en: 'the SHA-256 of {file} is {actual}, not {wanted}',
    ko: '{file}의 SHA-256이 다릅니다: {actual} (올바른 값: {wanted})',
  },
  wrong_signed_sha256: {
    en: 'the signed SHA-256 of {file} is {actual}, not {wanted}',
    ko: '{file}의 서명된 SHA-256이 다릅니다: {actual} (올바른 값: {wanted})',
  },
  not_signed: {
    en: 'the packages of the service are not signed, and this agent installs signed ones only',
    ko: '서비스의 패키지가 서명되지 않았습니다. 이 에이전트는 서명된 패키지만 설치합니다',
  },
  wrong_version: {
    en: 'the archive contains version {found}, not {wanted}',
    ko: '패키지의 버전이 다릅니다: {found} (필요한 버전: {wanted})',
  },
  says_other_version: {
    en: 'the program of version {version} reports the version {said}',
    ko: '{version} 버전의 프로그램이 다른 버전이라고 알립니다: {said}',
  },
  does_not_run: {
    en: 'version {version} does not run on this machine: {reason}',
    ko: '{version} 버전이 이 컴퓨터에서 실행되지 않습니다: {reason}',
  },
});

/** @example upgradeError('away', { minutes: 10 }) */
export const upgradeError = messagesOf(upgradeErrors);
