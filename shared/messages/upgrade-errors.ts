// Why an agent was not upgraded, by the service and by its host.
import { type ArgumentsOf, type Message, message, plain, sentence } from './message.js';

const versions = { to: 'text', from: 'text' } as const;

export const upgradeErrors = {
  removed: plain({ en: 'it was removed', ko: '제거된 호스트입니다' }),
  not_connected: plain({ en: 'it is not connected', ko: '연결되어 있지 않습니다' }),
  agent_too_old: plain({
    en: 'its agent is too old to be upgraded from here',
    ko: '에이전트가 너무 오래되어 여기에서 업그레이드할 수 없습니다',
  }),
  not_upgradable: plain({
    en: 'its agent cannot be upgraded from here',
    ko: '여기에서 업그레이드할 수 없는 에이전트입니다',
  }),
  away: sentence(
    { minutes: 'number' },
    {
      en: ({ minutes }) => `it has not been connected for ${minutes} min`,
      ko: ({ minutes }) => `${minutes}분 동안 연결되지 않았습니다`,
    },
  ),
  runs_again: sentence(
    { version: 'text' },
    {
      en: ({ version }) => `it runs ${version} again`,
      ko: ({ version }) => `다시 ${version} 버전으로 실행 중입니다`,
    },
  ),
  too_late: sentence(
    { minutes: 'number' },
    {
      en: ({ minutes }) => `it does not run the version after ${minutes} min`,
      ko: ({ minutes }) => `${minutes}분이 지나도 새 버전으로 실행되지 않습니다`,
    },
  ),
  failed: plain({ en: 'failed', ko: '실패했습니다' }),
  rolled_back: plain({ en: 'rolled_back', ko: '이전 버전으로 되돌렸습니다' }),
  runs_newer: sentence(
    { newer: 'text', version: 'text' },
    {
      en: ({ newer, version }) => `it runs ${newer}, which is newer; give --to to install ${version}`,
      ko: ({ newer, version }) =>
        `더 새로운 ${newer} 버전을 실행 중입니다. ${version} 버전을 설치하려면 --to를 지정하세요`,
    },
  ),
  no_package: sentence(
    { version: 'text', platform: 'text' },
    {
      en: ({ version, platform }) => `there is no package of ${version} for ${platform}`,
      ko: ({ version, platform }) => `${platform} 플랫폼용 ${version} 패키지가 없습니다`,
    },
  ),
  stopped_before: plain({
    en: 'the upgrade was stopped before',
    ko: '시작하기 전에 업그레이드가 중단되었습니다',
  }),
  stopped_while_upgrading: plain({
    en: 'the upgrade was stopped while the host was upgrading',
    ko: '호스트 업그레이드 중에 중단되었습니다',
  }),
  cancelled_before: plain({
    en: 'the upgrade was cancelled before',
    ko: '시작하기 전에 업그레이드가 취소되었습니다',
  }),
  cancelled_while_upgrading: plain({
    en: 'the upgrade was cancelled while the host was upgrading',
    ko: '호스트 업그레이드 중에 취소되었습니다',
  }),

  // By the host.
  did_not_start: sentence(
    { ...versions, seconds: 'number' },
    {
      en: ({ to, from, seconds }) => `Version ${to} did not start within ${seconds} s; ${from} runs again.`,
      ko: ({ to, from, seconds }) => `${to} 버전이 ${seconds}초 안에 시작되지 않아 ${from} 버전으로 되돌렸습니다.`,
    },
  ),
  did_not_connect: sentence(
    { ...versions, seconds: 'number' },
    {
      en: ({ to, from, seconds }) =>
        `Version ${to} did not connect to the service within ${seconds} s; ${from} runs again.`,
      ko: ({ to, from, seconds }) =>
        `${to} 버전이 ${seconds}초 안에 서비스에 연결되지 않아 ${from} 버전으로 되돌렸습니다.`,
    },
  ),
  crashed: sentence(
    { ...versions, times: 'number' },
    {
      en: ({ to, from, times }) => `Version ${to} ended ${times} times before it was ready; ${from} runs again.`,
      ko: ({ to, from, times }) => `${to} 버전이 준비되기 전에 ${times}번 종료되어 ${from} 버전으로 되돌렸습니다.`,
    },
  ),
  start_not_recorded: sentence(versions, {
    en: ({ to, from }) =>
      `Version ${to} was not started, because its start could not be recorded (is the disk full?); ${from} runs again.`,
    ko: ({ to, from }) =>
      `${to} 버전의 시작을 기록할 수 없어(디스크가 가득 찼나요?) 실행하지 않고 ${from} 버전으로 되돌렸습니다.`,
  }),
  not_a_package: plain({
    en: 'this agent does not run from an installed package',
    ko: '설치된 패키지로 실행되는 에이전트가 아닙니다',
  }),
  not_writable: sentence(
    { folder: 'text', code: 'text' },
    {
      en: ({ folder, code }) => `${folder} is not writable for the agent's user (${code})`,
      ko: ({ folder, code }) => `에이전트의 사용자에게 쓰기 권한이 없습니다: ${folder} (${code})`,
    },
  ),
  not_downloaded: sentence(
    { minutes: 'number' },
    {
      en: ({ minutes }) => `the package was not downloaded within ${minutes} min`,
      ko: ({ minutes }) => `${minutes}분 안에 패키지를 내려받지 못했습니다`,
    },
  ),
  another_upgrade: sentence(
    { pid: 'number' },
    {
      en: ({ pid }) => `another upgrade is running (process ${pid})`,
      ko: ({ pid }) => `다른 업그레이드가 실행 중입니다(프로세스 ${pid})`,
    },
  ),
  another_upgrade_unknown: plain({
    en: 'another upgrade is running',
    ko: '다른 업그레이드가 실행 중입니다',
  }),
  disk_full: sentence(
    { version: 'text' },
    {
      en: ({ version }) => `the disk is full; ${version} was not installed`,
      ko: ({ version }) => `디스크가 가득 차서 ${version} 버전을 설치하지 못했습니다`,
    },
  ),
  no_room: sentence(
    { free: 'text', folder: 'text', needed: 'text' },
    {
      en: ({ free, folder, needed }) => `${free} are free on the disk of ${folder}, and ${needed} are needed`,
      ko: ({ free, folder, needed }) => `${folder} 디스크의 여유 공간이 ${free}입니다. ${needed}가 필요합니다`,
    },
  ),
  wrong_sha256: sentence(
    { file: 'text', actual: 'text', wanted: 'text' },
    {
      en: ({ file, actual, wanted }) => `the SHA-256 of ${file} is ${actual}, not ${wanted}`,
      ko: ({ file, actual, wanted }) => `${file}의 SHA-256이 다릅니다: ${actual} (올바른 값: ${wanted})`,
    },
  ),
  wrong_signed_sha256: sentence(
    { file: 'text', actual: 'text', wanted: 'text' },
    {
      en: ({ file, actual, wanted }) => `the signed SHA-256 of ${file} is ${actual}, not ${wanted}`,
      ko: ({ file, actual, wanted }) => `${file}의 서명된 SHA-256이 다릅니다: ${actual} (올바른 값: ${wanted})`,
    },
  ),
  not_signed: plain({
    en: 'the packages of the service are not signed, and this agent installs signed ones only',
    ko: '서비스의 패키지가 서명되지 않았습니다. 이 에이전트는 서명된 패키지만 설치합니다',
  }),
  wrong_version: sentence(
    { found: 'text', wanted: 'text' },
    {
      en: ({ found, wanted }) => `the archive contains version ${found}, not ${wanted}`,
      ko: ({ found, wanted }) => `패키지의 버전이 다릅니다: ${found} (필요한 버전: ${wanted})`,
    },
  ),
  says_other_version: sentence(
    { version: 'text', said: 'text' },
    {
      en: ({ version, said }) => `the program of version ${version} says that it is ${said}`,
      ko: ({ version, said }) => `${version} 버전의 프로그램이 다른 버전이라고 알립니다: ${said}`,
    },
  ),
  does_not_run: sentence(
    { version: 'text', reason: 'text' },
    {
      en: ({ version, reason }) => `version ${version} does not run on this machine: ${reason}`,
      ko: ({ version, reason }) => `${version} 버전이 이 컴퓨터에서 실행되지 않습니다: ${reason}`,
    },
  ),
};

type Codes = typeof upgradeErrors;

/** @example upgradeError('away', { minutes: 10 }) */
export const upgradeError = <C extends keyof Codes>(code: C, ...params: ArgumentsOf<Codes, C>): Message =>
  message(upgradeErrors, code, ...params);
