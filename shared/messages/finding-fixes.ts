// What to do about a finding of a host's doctor. Commands stay as they are in every language.
import { messagesOf, sentences } from './message.js';

export const findingFixes = sentences({
  // The driver, its disk, and the machine.
  free_for_builds: {
    en: 'Free {lacking}: with less than {reserve} of free space this host takes no builds.',
    ko: '{lacking}를 비우세요. 여유 공간이 {reserve}보다 적으면 빌드를 받지 않습니다.',
  },
  free_for_image: {
    en: 'Free {lacking}: an image with Xcode takes {size} or more.',
    ko: '{lacking}를 비우세요. Xcode가 포함된 이미지는 {size} 이상입니다.',
  },
  create_runtimes_folder: {
    en: 'Create the folder, or correct runtimes_dir in agent.json.',
    ko: '폴더를 만들거나 agent.json의 runtimes_dir을 고치세요.',
  },
  name_runtimes: {
    en: 'Rename these files as xcodebuild -exportPath does ({example}): {files}',
    ko: 'xcodebuild -exportPath와 같은 이름({example})으로 바꾸세요: {files}',
  },
  fix_what_it_names: {
    en: 'Fix the problem that the message names; the host then continues by itself.',
    ko: '메시지에 나온 문제를 해결하세요. 그러면 호스트가 자동으로 다시 시작합니다.',
  },
  restart_for_leaked_vm: {
    en: 'macOS still counts a virtual machine that has ended. Drain the host ({drain}), then restart this machine ({restart}).',
    ko: '종료된 가상 머신을 macOS가 아직 실행 중으로 집계하고 있습니다. 호스트를 비우고({drain}) 이 컴퓨터를 재시동하세요({restart}).',
  },
  upgrade_macos: {
    en: 'Upgrade this machine to macOS {major, number} or later.',
    ko: '이 컴퓨터를 macOS {major} 이상으로 업그레이드하세요.',
  },
  needs_apple_silicon: {
    en: '{tool} needs a Mac with Apple silicon: use the driver local here.',
    ko: '{tool} 드라이버에는 Apple silicon Mac이 필요합니다. 여기에서는 local 드라이버를 사용하세요.',
  },
  install_arm_package: {
    en: 'Install the agent’s package for darwin-arm64, which brings its own Node.',
    ko: 'Node가 포함된 darwin-arm64용 에이전트 패키지를 설치하세요.',
  },
  is_virtual_machine: {
    en: 'This system is a virtual machine itself: use the driver local here.',
    ko: '이 시스템은 가상 머신입니다. local 드라이버를 사용하세요.',
  },
  run_as_agent_too: {
    en: 'Run the doctor as the agent’s user too: {command}',
    ko: '에이전트의 사용자로도 doctor를 실행하세요: {command}',
  },
  run_unprivileged: {
    en: 'Run the agent as a user without privileges: {command}',
    ko: '권한이 없는 사용자로 에이전트를 실행하세요: {command}',
  },
  run_as_agent_or_root: {
    en: 'Run the doctor as the agent’s user, or as root.',
    ko: '에이전트의 사용자나 root로 doctor를 실행하세요.',
  },
  name_data_folder: {
    en: 'Name the right folder with --data.',
    ko: '--data로 올바른 폴더를 지정하세요.',
  },
  change_owner: {
    en: 'Run the agent as the folder’s user ({run}), or change the owner of the folder ({give}).',
    ko: '폴더의 소유자로 실행하거나({run}) 폴더의 소유자를 바꾸세요({give}).',
  },
  move_or_delete: {
    en: 'Move these files elsewhere, or delete them.',
    ko: '다른 곳으로 옮기거나 삭제하세요.',
  },
  install_again: {
    en: 'Install the agent again, which sets the limit of its job: {command}',
    ko: '에이전트를 다시 설치하면 작업의 한도가 설정됩니다: {command}',
  },
  raise_file_limit: { en: 'Raise the limit for the agent: {command}', ko: '에이전트의 한도를 올리세요: {command}' },
  compare_by_hand: {
    en: 'Compare with docs/doctor.md by hand: this version of the agent does not understand the answer of the system.',
    ko: 'docs/doctor.md와 직접 비교하세요. 이 버전의 에이전트는 시스템의 응답을 해석하지 못합니다.',
  },
  change_profile: {
    en: 'Change the profile in the device management of this Mac.',
    ko: '이 Mac의 기기 관리(MDM)에서 프로파일을 변경하세요.',
  },

  // The login.
  log_in: {
    en: 'Log in as {user} at the screen, or by Screen Sharing, and have it logged in automatically after restarts.',
    ko: '화면이나 화면 공유로 {user} 계정에 로그인하고, 재시동 후 자동으로 로그인되도록 설정하세요.',
  },
  automatic_login: {
    en: 'System Settings > Users & Groups > Automatically log in as: the agent’s user',
    ko: '시스템 설정 > 사용자 및 그룹 > 다음 사용자로 자동으로 로그인: 에이전트의 사용자',
  },
  automatic_login_as: {
    en: 'System Settings > Users & Groups > Automatically log in as: the agent’s user {user}',
    ko: '시스템 설정 > 사용자 및 그룹 > 다음 사용자로 자동으로 로그인: 에이전트의 사용자 {user}',
  },
  turn_off_filevault: {
    en: 'Turn FileVault off (sudo fdesetup disable), or restart this machine only with sudo fdesetup authrestart. The doctor never changes FileVault.',
    ko: 'FileVault를 끄거나(sudo fdesetup disable), 이 컴퓨터를 sudo fdesetup authrestart로만 재시동하세요. doctor는 이 설정을 바꾸지 않습니다.',
  },
  log_in_once: {
    en: 'Log in once as {user} at the screen, which creates the file.',
    ko: '화면에서 {user} 계정으로 한 번 로그인하면 만들어집니다.',
  },
  unlock_keychain: {
    en: 'Log in at the screen, or run: {command}',
    ko: '화면에서 로그인하거나 다음을 실행하세요: {command}',
  },
  turn_off_screen_lock: {
    en: 'Turn the screen lock off (the command asks for the password): {command}',
    ko: '화면 잠금을 끄세요(암호를 입력해야 합니다): {command}',
  },

  // Virtual machines.
  install_newer_tool: {
    en: 'Install {tool} {version} or newer: the agent is not tested with older versions.',
    ko: '{tool} {version} 이상을 설치하세요. 에이전트는 더 오래된 버전에서 테스트되지 않았습니다.',
  },
  stop_other_vms: {
    en: "Stop virtual machines that are not the agent's: no Mac can be created beside {most, number} others with macOS.",
    ko: '에이전트의 것이 아닌 가상 머신을 중지하세요. 다른 macOS 가상 머신 {most}개가 실행 중이면 Mac을 만들 수 없습니다.',
  },
  pull_image: { en: 'Have the service fetch the image: {command}', ko: '서비스에서 이미지를 받게 하세요: {command}' },
  run_tool_by_hand: {
    en: 'Run the command by hand, as the agent’s user, and read its output.',
    ko: '에이전트의 사용자로 명령을 직접 실행하여 결과를 확인하세요.',
  },
  install_tool: {
    en: 'Install the program, put it on the agent’s PATH, or set its path in agent.json.',
    ko: '설치하거나, 에이전트의 PATH에 추가하거나, agent.json에 경로를 지정하세요.',
  },
  install_documented_version: {
    en: 'Install the version that docs/drivers.md names.',
    ko: 'docs/drivers.md에 나온 버전을 설치하세요.',
  },
  stop_vms_or_restart: {
    en: 'Stop other virtual machines. If none runs, restart this machine: macOS still counts one that has ended.',
    ko: '다른 가상 머신을 중지하세요. 실행 중인 것이 없다면 이 컴퓨터를 재시동하세요. 종료된 가상 머신을 macOS가 아직 집계하고 있습니다.',
  },
  unlock_as_agent: {
    en: 'Log in at the screen, or run `security unlock-keychain` as the agent’s user.',
    ko: '화면에서 로그인하거나 에이전트의 사용자로 `security unlock-keychain`을 실행하세요.',
  },
  remove_leases: {
    en: 'Drain the host. When no virtual machine runs, run: {command}. A shorter lease time prevents this.',
    ko: '호스트를 비우고, 실행 중인 가상 머신이 없을 때 실행하세요: {command}. 임대 시간을 줄이면 예방됩니다.',
  },
  allow_local_network: {
    en: 'Allow the connections at the screen: System Settings > Privacy & Security > Local Network. A launchd daemon needs no permission (host-agent install --session daemon), but has no login keychain, which guests need.',
    ko: '화면에서 허용하세요: 시스템 설정 > 개인정보 보호 및 보안 > 로컬 네트워크. launchd 데몬(host-agent install --session daemon)에는 권한이 필요 없지만, 게스트에 필요한 로그인 키체인이 없습니다.',
  },

  // The service.
  read_service_log: {
    en: 'Look at the log of the control plane.',
    ko: '컨트롤 플레인의 로그를 확인하세요.',
  },
  other_server_answers: {
    en: 'Another server or a proxy answers instead of the service: check control_plane in agent.json, and the proxy.',
    ko: '다른 서버나 프록시가 대신 응답합니다. agent.json의 control_plane과 프록시를 확인하세요.',
  },
  check_proxy: {
    en: 'Check the proxy (https_proxy and no_proxy in agent.json, HTTPS_PROXY): its address, its password, and whether it allows this host.',
    ko: '프록시(agent.json의 https_proxy와 no_proxy, HTTPS_PROXY)의 주소와 암호를 확인하고, 이 호스트를 허용하는지 확인하세요.',
  },
  check_name: {
    en: 'No address was found for {host}: check control_plane in agent.json, and the name servers of this machine (scutil --dns).',
    ko: '주소를 찾을 수 없습니다: {host}. agent.json의 control_plane과 이 컴퓨터의 네임 서버(scutil --dns)를 확인하세요.',
  },
  see_certificate: { en: 'See the check certificate.', ko: 'certificate 점검을 확인하세요.' },
  check_tls_port: {
    en: 'The server does not speak TLS on this port, or no version of TLS that is allowed: check the port in control_plane.',
    ko: '이 포트의 서버가 TLS를 사용하지 않거나 허용된 TLS 버전이 없습니다. control_plane의 포트를 확인하세요.',
  },
  check_connection: {
    en: 'Check that the service runs, the port in control_plane, firewalls on the way, and whether a proxy is needed (https_proxy in agent.json).',
    ko: '서비스가 실행 중인지, control_plane의 포트, 경로의 방화벽, 프록시가 필요한지(agent.json의 https_proxy) 확인하세요.',
  },
  certificate_expired: {
    en: 'The certificate has expired: renew it where TLS ends, and have the server load it.',
    ko: '인증서가 만료되었습니다. TLS를 처리하는 곳에서 갱신하고 서버에 다시 불러오세요.',
  },
  certificate_not_yet_valid: {
    en: 'The certificate is not valid yet: compare the clock of this machine (see the check clock).',
    ko: '인증서가 아직 유효하지 않습니다. 이 컴퓨터의 시계를 확인하세요(clock 점검 참고).',
  },
  certificate_of_other_name: {
    en: 'The certificate is for another name: use the address in the certificate (control_plane in agent.json), or get a certificate for this name.',
    ko: '다른 이름의 인증서입니다. 인증서에 있는 주소를 사용하거나(agent.json의 control_plane) 이 이름의 인증서를 받으세요.',
  },
  certificate_of_unknown_authority: {
    en: 'The certificate is not signed by an authority that this machine trusts: set ca_file in agent.json to a PEM file of that authority, or have the server send the intermediate certificates.',
    ko: '이 컴퓨터가 신뢰하는 기관이 서명한 인증서가 아닙니다. agent.json의 ca_file에 그 기관의 PEM 파일을 지정하거나, 서버가 중간 인증서를 보내도록 하세요.',
  },
  use_https: {
    en: 'Use https: otherwise others on the network can read builds and their secrets.',
    ko: 'https를 사용하세요. 전송 중에 빌드와 시크릿이 노출될 수 있습니다.',
  },
  renew_certificate: {
    en: 'Renew the certificate where TLS ends, and find out why it was not renewed automatically.',
    ko: 'TLS를 처리하는 곳에서 갱신하고, 자동으로 갱신되지 않은 이유를 확인하세요.',
  },
  set_clock_of_service: {
    en: 'Set the clock of the machine with the control plane.',
    ko: '컨트롤 플레인이 실행되는 컴퓨터의 시계를 맞추세요.',
  },
  keep_clock: {
    en: 'Set the clock and keep it synchronized: {command}',
    ko: '시계를 맞추고 자동으로 유지하세요: {command}',
  },
  set_a_clock: {
    en: 'Set the clock of this machine, or of the one with the control plane.',
    ko: '이 컴퓨터나 컨트롤 플레인이 실행되는 컴퓨터의 시계를 맞추세요.',
  },
  upgrade_service: {
    en: 'Upgrade the control plane.',
    ko: '컨트롤 플레인을 업그레이드하세요.',
  },
  run_at_service: { en: 'Run where the control plane runs: {command}', ko: '컨트롤 플레인에서 실행하세요: {command}' },
});

/** @example findingFix('free_for_image', { lacking: '3.0 GB', size: '50.0 GB' }) */
export const findingFix = messagesOf(findingFixes);
