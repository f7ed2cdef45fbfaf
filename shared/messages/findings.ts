// What the doctor found on a host.
import { messagesOf, sentence, sentences } from './message.js';

const onlySeconds = { seconds: 'number' } as const;

/** Steps on the way to the service. */
const steps = {
  proxy: { en: 'proxy', ko: '프록시' },
  name: { en: 'name', ko: '이름' },
  certificate: { en: 'certificate', ko: '인증서' },
  tls: { en: 'TLS', ko: 'TLS' },
  local_network: { en: 'Local Network', ko: '로컬 네트워크' },
  connection: { en: 'connection', ko: '연결' },
} as const;
export type ServiceStep = keyof typeof steps;
const stepNames = [
  ...(['proxy', 'name', 'certificate'] as const),
  ...(['tls', 'local_network', 'connection'] as const),
] as const;

const licenses = {
  mit: { en: 'MIT', ko: 'MIT' },
  unknown: { en: 'see docs/drivers.md', ko: 'docs/drivers.md 참고' },
  fair_source: {
    en: 'Fair Source 0.9, free for up to 100 processor cores in all',
    ko: 'Fair Source 0.9(코어 합계 100개까지 무료)',
  },
  fsl: { en: 'FSL-1.1, not for competing services', ko: 'FSL-1.1(경쟁 서비스에는 사용 불가)' },
} as const;
export type License = keyof typeof licenses;

export const findings = sentences({
  // The driver and its disk.
  driver: { en: '{kind} on {os}, {arch}', ko: '{kind} 드라이버({os}, {arch})' },
  free: { en: '{size} free', ko: '여유 공간 {size}' },
  none: { en: 'none', ko: '없음' },
  none_in: { en: 'none in {folder}', ko: '없음: {folder}' },
  macs_possible: { en: 'Macs can be created', ko: 'Mac을 만들 수 있음' },

  // The machine.
  no_tart_exec: { en: '{macos}: tart exec does not work', ko: '{macos}: tart exec를 사용할 수 없음' },
  under_rosetta: { en: '{chip}, under Rosetta', ko: '{chip}, Rosetta에서 실행 중' },
  no_virtualization: { en: '{chip}, without virtualization', ko: '{chip}, 가상화를 사용할 수 없음' },
  root_checks_left_out: {
    en: 'root: the checks of login, keychain and session are left out',
    ko: 'root: 로그인, 키체인, 세션 점검을 건너뜀',
  },
  root_no_guests: {
    en: 'root: guests with macOS 15 and later do not start',
    ko: 'root: macOS 15 이상의 게스트가 시작되지 않음',
  },
  root_builds: {
    en: 'root: builds of the local driver are root too',
    ko: 'root: local 드라이버의 빌드도 root로 실행됨',
  },
  not_a_folder: { en: '{folder} is not a folder', ko: '폴더가 아님: {folder}' },
  folder_of_other_user: {
    en: '{folder} belongs to the user {owner, number}, this process to {user, number}',
    ko: '{folder} 폴더의 소유자는 {owner}, 이 프로세스의 사용자는 {user}',
  },
  folder_mode: { en: '{folder}, mode {mode}', ko: '{folder}, 권한 {mode}' },
  folder_open_to_others: {
    en: '{folder}, mode {mode}: other users can read it',
    ko: '{folder}, 권한 {mode}: 다른 사용자가 볼 수 있음',
  },
  only_macs: { en: 'only folders of Macs', ko: 'Mac의 폴더만 있음' },
  not_only_macs: sentence(
    { folder: 'text', names: 'text', more: 'number' },
    {
      en: ({ folder, names, more }) =>
        `${folder} has entries that belong to no Mac: ${names}${more === 0 ? '' : ` and ${more} more`}`,
      ko: ({ folder, names, more }) =>
        `${folder} 폴더에 Mac의 것이 아닌 항목이 있음: ${names}${more === 0 ? '' : ` 외 ${more}개`}`,
    },
  ),
  files_not_limited: { en: 'not limited', ko: '제한 없음' },
  launchd_files: { en: 'launchd allows {files, number}', ko: 'launchd 한도 {files}' },
  process_files: { en: '{files, number} for this process', ko: '이 프로세스의 한도 {files}' },

  // Power and updates.
  sleeps: { en: 'sleeps after {minutes, number} min', ko: '{minutes}분 후 잠자기' },
  never_sleeps: { en: 'never', ko: '잠자지 않음' },
  parts_sleep: {
    en: 'the machine never sleeps, but these settings are on: {settings}',
    ko: '컴퓨터는 잠자지 않지만 켜져 있는 설정이 있음: {settings}',
  },
  restarts: {
    en: 'starts again, and wakes for the network',
    ko: '다시 시작되며, 네트워크 접근 시 깨어남',
  },
  no_wake: { en: 'does not wake for the network', ko: '네트워크 접근 시 깨어나지 않음' },
  stays_off: { en: 'stays off', ko: '꺼진 상태로 있음' },
  on: { en: 'on', ko: '켜짐' },
  off: { en: 'off', ko: '꺼짐' },
  on_keys: { en: 'on: {keys}', ko: '켜짐: {keys}' },
  on_by_profile: { en: 'on: {keys}, by a configuration profile', ko: '구성 프로파일로 켜짐: {keys}' },

  // A check that could not be made.
  no_answer: { en: 'no answer within {seconds, number} s', ko: '{seconds}초 안에 응답이 없음' },
  unreadable: { en: '{what} cannot be read: {output}', ko: '읽을 수 없음: {what} ({output})' },
  no_output: { en: '{what} cannot be read: no output', ko: '읽을 수 없음: {what} (출력 없음)' },
  check_failed: { en: 'cannot be read: {detail}', ko: '읽을 수 없음: {detail}' },

  // The login.
  logged_in: {
    en: '{user} is logged in at the screen; this process runs in the session {session}',
    ko: '{user} 계정이 화면에 로그인되어 있음. 이 프로세스의 세션: {session}',
  },
  not_logged_in: { en: '{user} is not logged in at the screen', ko: '{user} 계정이 화면에 로그인되어 있지 않음' },
  nobody_after_restart: {
    en: 'nobody is logged in automatically after a restart',
    ko: '재시동 후 자동으로 로그인되지 않음',
  },
  other_after_restart: {
    en: '{name} is logged in automatically after a restart, but the agent runs as {user}',
    ko: '재시동 후 {name} 계정이 로그인되지만, 에이전트는 {user} 계정으로 실행됨',
  },
  no_stored_password: {
    en: '{name}, but without a stored password (/etc/kcpassword)',
    ko: '{name}, 저장된 암호 없음(/etc/kcpassword)',
  },
  filevault: sentence(
    { state: ['on', 'will_be_on'] },
    {
      en: ({ state }) => `${filevault[state].en}: a restart waits for a password at the screen`,
      ko: ({ state }) => `${filevault[state].ko}: 재시동하면 화면에서 암호를 기다림`,
    },
  ),
  filevault_and_login: sentence(
    { state: ['on', 'will_be_on'], name: 'text' },
    {
      en: ({ state, name }) =>
        `${filevault[state].en}: a restart waits for a password at the screen; the automatic login of ${name} has no effect`,
      ko: ({ state, name }) =>
        `${filevault[state].ko}: 재시동하면 화면에서 암호를 기다리며, ${name} 계정의 자동 로그인이 동작하지 않음`,
    },
  ),
  missing_file: { en: '{file} does not exist', ko: '없음: {file}' },
  keychain_locked: {
    en: 'locked: virtual machines do not start',
    ko: '잠김: 가상 머신이 시작되지 않음',
  },
  keychain_locks_later: { en: 'unlocked, but locks after {seconds, number} s', ko: '열려 있지만 {seconds}초 후 잠김' },
  keychain_locks_on_sleep: {
    en: 'unlocked, but locks when the machine sleeps',
    ko: '열려 있지만 컴퓨터가 잠자면 잠김',
  },
  keychain_unlocked: { en: 'unlocked', ko: '열려 있음' },
  screen_locks_at_once: { en: 'on (immediate)', ko: '켜짐(즉시)' },
  screen_locks_after: sentence(
    { delay: 'number' },
    {
      en: ({ delay }) => `on (${delay} ${delay === 1 ? 'second' : 'seconds'})`,
      ko: ({ delay }) => `켜짐(${delay}초 후)`,
    },
  ),

  // Virtual machines.
  tool: sentence(
    { version: 'text', license: ['mit', 'unknown', 'fair_source', 'fsl'] },
    {
      en: ({ version, license }) => `${version}; license: ${licenses[license].en}`,
      ko: ({ version, license }) => `${version}, 라이선스: ${licenses[license].ko}`,
    },
  ),
  none_runs: { en: 'none runs; macOS allows {most, number}', ko: '실행 중인 것 없음(macOS 한도 {most}개)' },
  running: { en: 'running: {names}; macOS allows {most, number}', ko: '실행 중: {names}(macOS 한도 {most}개)' },
  none_runs_beside: {
    en: 'none runs; macOS allows {most, number}; {others, number} belong to other programs',
    ko: '실행 중인 것 없음(macOS 한도 {most}개), 다른 프로그램의 가상 머신 {others}개',
  },
  running_beside: {
    en: 'running: {names}; macOS allows {most, number}; {others, number} belong to other programs',
    ko: '실행 중: {names}(macOS 한도 {most}개), 다른 프로그램의 가상 머신 {others}개',
  },
  lease_time: { en: '{seconds, number} s', ko: '{seconds}초' },
  lease_time_default: { en: '{seconds, number} s, the default', ko: '{seconds}초(기본값)' },
  leases_taken: { en: '{taken, number} of {all, number}', ko: '{all}개 중 {taken}개 사용' },
  guest_did_not_answer: { en: 'allowed; {address} did not answer', ko: '허용됨, {address}의 응답 없음' },
  guest_reached: { en: '{address} can be reached', ko: '{address}에 연결할 수 있음' },
  macos_refuses: { en: 'macOS refuses connections to {address}', ko: 'macOS가 {address} 연결을 거부함' },
  macos_refuses_some: {
    en: 'macOS refuses connections to {address}; images without tart’s guest agent cannot be used',
    ko: 'macOS가 {address} 연결을 거부함. tart 게스트 에이전트가 없는 이미지는 사용할 수 없음',
  },

  // The service.
  service_answers: { en: '{site} answers', ko: '{site} 응답함' },
  service_unwell: { en: '{site} answers {status, number}: {body}', ko: '{site} 응답: HTTP {status}, {body}' },
  not_the_service: {
    en: '{site} answers {status, number}, but is not Cidermill: {body}',
    ko: '{site} 응답이 Cidermill의 응답이 아님(HTTP {status}): {body}',
  },
  service_unreachable: sentence(
    { site: 'text', step: stepNames, reason: 'text' },
    {
      en: ({ site, step, reason }) => `${site} cannot be reached: ${steps[step].en}: ${reason}`,
      ko: ({ site, step, reason }) => `${site}에 연결할 수 없음(${steps[step].ko}): ${reason}`,
    },
  ),
  not_encrypted: { en: '{site} is not encrypted', ko: '암호화되지 않음: {site}' },
  certificate_valid: {
    en: 'valid for {days, number} more days, issued by {issuer}',
    ko: '{days}일 남음, 발급자 {issuer}',
  },
  clock_differs: sentence(onlySeconds, {
    en: ({ seconds }) => `differs by ${seconds.toFixed(1)} s`,
    ko: ({ seconds }) => `${seconds.toFixed(1)}초 차이`,
  }),
  clock_of_service_differs: {
    en: 'correct, but the clock of the service differs by {seconds, number} s',
    ko: '정확하지만, 서비스의 시계가 {seconds}초 다름',
  },
  clock_behind: { en: 'behind by {seconds, number} s', ko: '{seconds}초 느림' },
  clock_ahead: { en: 'ahead by {seconds, number} s', ko: '{seconds}초 빠름' },
  version_same: { en: '{version}, the same as the service', ko: '{version}, 서비스와 같은 버전' },
  version_newer: {
    en: '{version}, newer than the service’s {theirs}',
    ko: '{version}, 서비스의 {theirs} 버전보다 새로움',
  },
  version_older: { en: '{version}; the service has {theirs}', ko: '{version}, 서비스의 버전은 {theirs}' },
});

const filevault = {
  on: { en: 'on', ko: '켜짐' },
  will_be_on: { en: 'will be on after the next restart', ko: '다음 재시동 후 켜질 예정' },
} as const;

/** @example finding('free', { size: '12.0 GB' }) */
export const finding = messagesOf(findings);
