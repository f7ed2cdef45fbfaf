// Why an upgrade of an agent failed, in languages that the API does not speak, by the API's text.
import type { Language } from '../../../../../shared/language.js';
import { byText, koreanByText, type TextRow } from '../../../words/by-text.js';

const upgrade: readonly TextRow[] = [
  [/^it was removed$/, () => '제거된 호스트입니다'],
  [/^it is not connected$/, () => '연결되어 있지 않습니다'],
  [
    /^its agent is too old to be upgraded from here$/,
    () => '에이전트가 너무 오래되어 여기에서 업그레이드할 수 없습니다',
  ],
  [/^its agent cannot be upgraded from here$/, () => '여기에서 업그레이드할 수 없는 에이전트입니다'],
  [/^it has not been connected for (\d+) min$/, (n) => `${n}분 동안 연결되지 않았습니다`],
  [/^it runs (.+) again$/, (version) => `다시 ${version} 버전으로 실행 중입니다`],
  [/^it does not run the version after (\d+) min$/, (n) => `${n}분이 지나도 새 버전으로 실행되지 않습니다`],
  [
    /^it runs (.+), which is newer; give --to to install (.+)$/,
    (newer, version) =>
      `더 새로운 ${newer} 버전을 실행 중입니다. ${version} 버전을 설치하려면 --to를 지정하세요`,
  ],
  [
    /^there is no package of (.+) for (.+)$/,
    (version, platform) => `${platform} 플랫폼용 ${version} 패키지가 없습니다`,
  ],
  [/^the upgrade was stopped before$/, () => '시작하기 전에 업그레이드가 중단되었습니다'],
  [/^the upgrade was stopped while the host was upgrading$/, () => '호스트 업그레이드 중에 중단되었습니다'],
  [
    /^Version (\S+) did not (start|connect to the service) within (\d+) s; (\S+) runs again\.$/,
    (to, what, seconds, from) =>
      `${to} 버전이 ${seconds}초 안에 ${what === 'start' ? '시작되지' : '서비스에 연결되지'} 않아 ${from} 버전으로 되돌렸습니다.`,
  ],
  [
    /^Version (\S+) ended (\d+) times before it was ready; (\S+) runs again\.$/,
    (to, times, from) => `${to} 버전이 준비되기 전에 ${times}번 종료되어 ${from} 버전으로 되돌렸습니다.`,
  ],
  [
    /^Version (\S+) was not started, because its start could not be recorded \(is the disk full\?\); (\S+) runs again\.$/,
    (to, from) =>
      `${to} 버전의 시작을 기록할 수 없어(디스크가 가득 찼나요?) 실행하지 않고 ${from} 버전으로 되돌렸습니다.`,
  ],
  [
    /^this agent does not run from an installed package$/,
    () => '설치된 패키지로 실행되는 에이전트가 아닙니다',
  ],
  [
    /^(\S+) is not writable for the agent's user \((.+)\)$/,
    (folder, code) => `에이전트의 사용자에게 쓰기 권한이 없습니다: ${folder} (${code})`,
  ],
  [/^the package was not downloaded within (\d+) min$/, (n) => `${n}분 안에 패키지를 내려받지 못했습니다`],
  [
    /^another upgrade is running \(process (.+)\)$/,
    (pid) => `다른 업그레이드가 실행 중입니다(프로세스 ${pid})`,
  ],
  [
    /^the disk is full; (\S+) was not installed$/,
    (version) => `디스크가 가득 차서 ${version} 버전을 설치하지 못했습니다`,
  ],
  [
    /^the SHA-256 of (.+) is (.+), not (.+)$/,
    (file, actual, wanted) => `${file}의 SHA-256이 다릅니다: ${actual} (올바른 값: ${wanted})`,
  ],
  [
    /^(.+) are free on the disk of (.+), and (.+) are needed$/,
    (free, folder, needed) => `${folder} 디스크의 여유 공간이 ${free}입니다. ${needed}가 필요합니다`,
  ],
  [
    /^the archive contains version (.+), not (.+)$/,
    (found, wanted) => `패키지의 버전이 다릅니다: ${found} (필요한 버전: ${wanted})`,
  ],
  [
    /^version (\S+) does not run on this machine: (.+)$/,
    (version, why) => `${version} 버전이 이 컴퓨터에서 실행되지 않습니다: ${why}`,
  ],
];

/** The whole upgrade's error begins with the name of the host. */
const ofHost: TextRow = [
  /^([^:]+): (.+)$/,
  (host = '', why = '') => `${host}: ${koreanByText(upgrade, why) ?? why}`,
];

export const upgradeError = (text: string, language: Language): string =>
  byText([...upgrade, ofHost], text, language);
