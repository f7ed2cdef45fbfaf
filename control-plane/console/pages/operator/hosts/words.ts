// Texts about what operators do with hosts.
import type { Words } from '../../../words/words.js';

export const words = {
  en: {
    actions: {
      drain: 'Drain',
      cordon: 'Cordon',
      undrain: 'Undrain',
      upgrade: 'Upgrade',
      remove: 'Remove',
      settings: 'Settings',
    },
    titles: {
      drain: (hosts: string) => `Drain ${hosts}`,
      cordon: (hosts: string) => `Cordon ${hosts}`,
      undrain: (hosts: string) => `Undrain ${hosts}`,
      upgrade: (hosts: string) => `Upgrade the agent of ${hosts}`,
      remove: (hosts: string) => `Remove ${hosts}`,
    },
    explain: {
      drain:
        'Running builds continue until they end. New builds and new Macs go to other hosts. The page shows how many builds still run.',
      cordon: 'No new Mac is created here. Rented Macs and their builds continue.',
      undrain: 'The host takes builds and Macs again.',
      upgrade:
        'Builds continue. A few hosts are upgraded first; the others follow once those have worked for a while. The first failure stops the upgrade.',
      remove:
        'The credential of the host becomes invalid and it is disconnected at once. To bring it back, enroll it again.',
    },
    reason: 'Reason',
    reasonNote: 'Shown to operators until the host is undrained.',
    stillRun: (n: number) => (n === 1 ? '1 build runs there now.' : `${n} builds run there now.`),
    buildLost: (build: string, org: string) => `The running build ${build} of ${org}`,
    macLost: (rental: string, org: string) => `${rental} of ${org}, which is recreated on another host if one is free`,
    version: 'Version',
    newest: (version: string) => `${version} (newest)`,
    canaries: 'Hosts to upgrade first',
    noPackages:
      'The service has no packages of the agent: run npm run package and copy them into its folder of packages.',
    settings: (host: string) => `Settings of ${host}`,
    tierNote: 'Only while no Mac is rented there.',
    shared: 'May serve several organizations at a time',
    nothing: 'No changes yet.',
    slotsNote: 'Macs at a time. Existing slots stay when the number becomes smaller.',
  },
  ko: {
    actions: {
      drain: '비우기',
      cordon: '신규 배정 중지',
      undrain: '다시 사용',
      upgrade: '업그레이드',
      remove: '제거',
      settings: '설정',
    },
    titles: {
      drain: (hosts: string) => `${hosts} 비우기`,
      cordon: (hosts: string) => `${hosts} 신규 배정 중지`,
      undrain: (hosts: string) => `${hosts} 다시 사용`,
      upgrade: (hosts: string) => `${hosts}의 에이전트 업그레이드`,
      remove: (hosts: string) => `${hosts} 제거`,
    },
    explain: {
      drain:
        '실행 중인 빌드는 끝날 때까지 계속됩니다. 새 빌드와 새 Mac은 다른 호스트에 배정됩니다. 남은 빌드 수는 이 페이지에 표시됩니다.',
      cordon: '이 호스트에 새 Mac을 만들지 않습니다. 대여 중인 Mac과 빌드는 계속됩니다.',
      undrain: '이 호스트에 빌드와 Mac을 다시 배정합니다.',
      upgrade:
        '빌드는 계속됩니다. 일부 호스트를 먼저 업그레이드하고, 잠시 문제없이 동작하면 나머지를 진행합니다. 실패하면 바로 멈춥니다.',
      remove: '호스트의 인증 정보가 무효가 되고 즉시 연결이 끊깁니다. 다시 사용하려면 새로 등록해야 합니다.',
    },
    reason: '사유',
    reasonNote: '다시 사용할 때까지 운영자에게 표시됩니다.',
    stillRun: (n: number) => `지금 빌드 ${n}개가 실행 중입니다.`,
    buildLost: (build: string, org: string) => `${org}의 실행 중인 빌드 ${build}`,
    macLost: (rental: string, org: string) => `${org}의 ${rental} (빈 호스트가 있으면 다시 만들어집니다)`,
    version: '버전',
    newest: (version: string) => `${version} (최신)`,
    canaries: '먼저 업그레이드할 호스트 수',
    noPackages: '에이전트 패키지가 없습니다. npm run package를 실행하고 서비스의 패키지 폴더에 복사하세요.',
    settings: (host: string) => `${host} 설정`,
    tierNote: '대여 중인 Mac이 없을 때만 바꿀 수 있습니다.',
    shared: '여러 조직이 동시에 사용할 수 있음',
    nothing: '변경한 내용이 없습니다.',
    slotsNote: '동시에 둘 수 있는 Mac 수입니다. 숫자를 줄여도 기존 슬롯은 유지됩니다.',
  },
} satisfies Words;
