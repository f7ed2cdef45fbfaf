// What helps against a finding of a host's checks, in languages that the API does not speak, by the API's text. Commands
// stay as they are.
import type { Language } from '../../../../../shared/language.js';
import { byText, type TextRow } from '../../../words/by-text.js';

const localNetwork =
  '화면에서 허용하세요: 시스템 설정 > 개인정보 보호 및 보안 > 로컬 네트워크. launchd 데몬(host-agent install --session daemon)에는 권한이 필요 없지만, 게스트에 필요한 로그인 키체인이 없습니다.';

const machine: readonly TextRow[] = [
  [
    /^Free ([\d.]+ GB): with less than ([\d.]+ GB) this host takes no builds\.$/,
    (lacking, reserve) => `${lacking}를 비우세요. 여유 공간이 ${reserve}보다 적으면 빌드를 받지 않습니다.`,
  ],
  [
    /^Free ([\d.]+ GB): an image with Xcode takes ([\d.]+ GB) and more\.$/,
    (lacking, size) => `${lacking}를 비우세요. Xcode가 포함된 이미지는 ${size} 이상입니다.`,
  ],
  [
    /^Create the folder, or correct runtimes_dir /,
    () => '폴더를 만들거나 agent.json의 runtimes_dir을 고치세요.',
  ],
  [
    /^Name it as xcodebuild -exportPath does \((.+?)\): (.+)$/,
    (example, files) => `xcodebuild -exportPath와 같은 이름(${example})으로 바꾸세요: ${files}`,
  ],
  [
    /^Fix what the message names; /,
    () => '메시지에 나온 문제를 해결하세요. 그러면 호스트가 자동으로 다시 시작합니다.',
  ],
  [
    /^macOS still counts a virtual machine that has ended\. Drain the host \((.+?)\), then restart this machine \((.+?)\)\.$/,
    (drain, restart) =>
      `끝난 가상 머신을 macOS가 아직 실행 중으로 세고 있습니다. 호스트를 비우고(${drain}) 이 컴퓨터를 재시동하세요(${restart}).`,
  ],
  [/^Upgrade this machine to macOS 14 or later\.$/, () => '이 컴퓨터를 macOS 14 이상으로 업그레이드하세요.'],
  [
    /^(\S+) needs a Mac with Apple silicon: /,
    (tool) => `${tool} 드라이버에는 Apple silicon Mac이 필요합니다. 여기에서는 local 드라이버를 사용하세요.`,
  ],
  [
    /^Install the agent’s package for darwin-arm64, /,
    () => 'Node가 포함된 darwin-arm64용 에이전트 패키지를 설치하세요.',
  ],
  [
    /^This system is a virtual machine itself: /,
    () => '이 시스템은 가상 머신입니다. local 드라이버를 사용하세요.',
  ],
  [
    /^Run the doctor as the agent’s user too: (.+)$/,
    (command) => `에이전트의 사용자로도 doctor를 실행하세요: ${command}`,
  ],
  [
    /^Run the agent as a user without privileges: (.+)$/,
    (command) => `권한이 없는 사용자로 에이전트를 실행하세요: ${command}`,
  ],
  [
    /^Run the doctor as the agent’s user, or as root\.$/,
    () => '에이전트의 사용자나 root로 doctor를 실행하세요.',
  ],
  [/^Move it elsewhere, or delete it\.$/, () => '다른 곳으로 옮기거나 삭제하세요.'],
  [/^Name the right folder with --data\.$/, () => '--data로 올바른 폴더를 지정하세요.'],
  [
    /^Run it as the folder’s user \((.+)\), or give the folder to this one \((.+)\)\.$/,
    (as, give) => `폴더의 소유자로 실행하거나(${as}) 폴더의 소유자를 바꾸세요(${give}).`,
  ],
  [
    /^Install the agent again, which sets the limit of its job: (.+)$/,
    (command) => `에이전트를 다시 설치하면 작업의 한도가 설정됩니다: ${command}`,
  ],
  [/^Raise the limit for the agent: (.+)$/, (command) => `에이전트의 한도를 올리세요: ${command}`],
  [
    /^Compare with docs\/doctor\.md by hand: /,
    () => 'docs/doctor.md와 직접 비교하세요. 이 버전의 에이전트는 시스템의 응답을 해석하지 못합니다.',
  ],
];

const login: readonly TextRow[] = [
  [
    /^Log in as (.+) at the screen, or by Screen Sharing, and /,
    (user) => `화면이나 화면 공유로 ${user} 계정에 로그인하고, 재시동 후 자동으로 로그인되도록 설정하세요.`,
  ],
  [
    /^System Settings > Users & Groups > Automatically log in as: the agent’s user ?(.*)$/,
    (user) =>
      `시스템 설정 > 사용자 및 그룹 > 다음 사용자로 자동으로 로그인: 에이전트의 사용자 ${user}`.trim(),
  ],
  [
    /^Turn it off \(sudo fdesetup disable\), or restart /,
    () =>
      '끄거나(sudo fdesetup disable), 이 컴퓨터를 sudo fdesetup authrestart로만 재시동하세요. doctor는 이 설정을 바꾸지 않습니다.',
  ],
  [
    /^Log in once as (.+) at the screen, /,
    (user) => `화면에서 ${user} 계정으로 한 번 로그인하면 만들어집니다.`,
  ],
  [
    /^Log in at the screen, or run: (.+)$/,
    (command) => `화면에서 로그인하거나 다음을 실행하세요: ${command}`,
  ],
  [
    /^Turn it off; it asks for the password: (.+)$/,
    (command) => `끄세요(암호를 입력해야 합니다): ${command}`,
  ],
  [
    /^Change the profile in the device management /,
    () => '이 Mac의 기기 관리(MDM)에서 프로파일을 변경하세요.',
  ],
];

const virtualMachines: readonly TextRow[] = [
  [
    /^Install (\S+) (\S+) or newer: /,
    (tool, version) =>
      `${tool} ${version} 이상을 설치하세요. 에이전트는 더 오래된 버전에서 시험되지 않았습니다.`,
  ],
  [
    /^Stop virtual machines that are not the agent's: .+ beside (\d+) others/,
    (count) =>
      `에이전트의 것이 아닌 가상 머신을 중지하세요. 다른 macOS 가상 머신 ${count}개가 실행 중이면 Mac을 만들 수 없습니다.`,
  ],
  [/^Have it fetched by the service: (.+)$/, (command) => `서비스에서 이미지를 받게 하세요: ${command}`],
  [
    /^Run the command by hand, as the agent’s user, /,
    () => '에이전트의 사용자로 명령을 직접 실행하여 결과를 확인하세요.',
  ],
  [
    /^Install it, put it on the agent’s PATH, /,
    () => '설치하거나, 에이전트의 PATH에 추가하거나, agent.json에 경로를 지정하세요.',
  ],
  [/^Install the version that docs\/drivers\.md names\.$/, () => 'docs/drivers.md에 나온 버전을 설치하세요.'],
  [
    /^Stop other virtual machines\. If none runs, /,
    () =>
      '다른 가상 머신을 중지하세요. 실행 중인 것이 없다면 이 컴퓨터를 재시동하세요. 끝난 가상 머신을 macOS가 아직 세고 있습니다.',
  ],
  [
    /^Log in at the screen, or run `security unlock-keychain` /,
    () => '화면에서 로그인하거나 에이전트의 사용자로 `security unlock-keychain`을 실행하세요.',
  ],
  [
    /^Drain the host; while no virtual machine runs: (.+?)\. A shorter /,
    (command) =>
      `호스트를 비우고, 실행 중인 가상 머신이 없을 때 실행하세요: ${command}. 임대 시간을 줄이면 예방됩니다.`,
  ],
  [/^Allow it at the screen: System Settings > Privacy & Security > Local Network\./, () => localNetwork],
];

const service: readonly TextRow[] = [
  [/^Look at the log of the control plane\.$/, () => '컨트롤 플레인의 로그를 확인하세요.'],
  [
    /^Another server or a proxy answers in its place: /,
    () => '다른 서버나 프록시가 대신 응답합니다. agent.json의 control_plane과 프록시를 확인하세요.',
  ],
  [
    /^Check the proxy \(https_proxy /,
    () =>
      '프록시(agent.json의 https_proxy와 no_proxy, HTTPS_PROXY)의 주소와 암호를 확인하고, 이 호스트를 허용하는지 확인하세요.',
  ],
  [
    /^No address was found for (.+?): check /,
    (host) =>
      `주소를 찾을 수 없습니다: ${host}. agent.json의 control_plane과 이 컴퓨터의 네임 서버(scutil --dns)를 확인하세요.`,
  ],
  [/^See the check certificate\.$/, () => 'certificate 점검을 확인하세요.'],
  [
    /^The server does not speak TLS on this port, /,
    () =>
      '이 포트의 서버가 TLS를 사용하지 않거나 허용된 TLS 버전이 없습니다. control_plane의 포트를 확인하세요.',
  ],
  [
    /^Check that the service runs, the port /,
    () =>
      '서비스가 실행 중인지, control_plane의 포트, 경로의 방화벽, 프록시가 필요한지(agent.json의 https_proxy) 확인하세요.',
  ],
  [
    /^The certificate has expired: /,
    () => '인증서가 만료되었습니다. TLS를 처리하는 곳에서 갱신하고 서버에 다시 불러오세요.',
  ],
  [
    /^The certificate is not valid yet: /,
    () => '인증서가 아직 유효하지 않습니다. 이 컴퓨터의 시계를 확인하세요(clock 점검 참고).',
  ],
  [
    /^The certificate is for another name: /,
    () =>
      '다른 이름의 인증서입니다. 인증서에 있는 주소를 사용하거나(agent.json의 control_plane) 이 이름의 인증서를 받으세요.',
  ],
  [
    /^The certificate is not signed by an authority /,
    () =>
      '이 컴퓨터가 신뢰하는 기관이 서명한 인증서가 아닙니다. agent.json의 ca_file에 그 기관의 PEM 파일을 지정하거나, 서버가 중간 인증서를 보내도록 하세요.',
  ],
  [/^Use https: builds and /, () => 'https를 사용하세요. 전송 중에 빌드와 시크릿이 노출될 수 있습니다.'],
  [
    /^Renew it where TLS ends, and find out /,
    () => 'TLS를 처리하는 곳에서 갱신하고, 자동으로 갱신되지 않은 이유를 확인하세요.',
  ],
  [
    /^Set the clock of the machine with the control plane\.$/,
    () => '컨트롤 플레인이 실행되는 컴퓨터의 시계를 맞추세요.',
  ],
  [/^Set it, and keep it right: (.+)$/, (command) => `시계를 맞추고 자동으로 유지하세요: ${command}`],
  [
    /^Set the clock of this machine, or of /,
    () => '이 컴퓨터나 컨트롤 플레인이 실행되는 컴퓨터의 시계를 맞추세요.',
  ],
  [/^Upgrade the control plane\.$/, () => '컨트롤 플레인을 업그레이드하세요.'],
  [/^(cidermill .+), where the control plane runs$/, (command) => `컨트롤 플레인에서 실행하세요: ${command}`],
];

const rows = [...machine, ...login, ...virtualMachines, ...service];

export const findingFix = (text: string, language: Language): string => byText(rows, text, language);
