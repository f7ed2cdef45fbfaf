// What the checks of a host have found, in languages that the API does not speak, by the API's text. Versions, sizes and
// messages of the system stay as they are.
import type { Language } from '../../../../../shared/language.js';
import { byText, type TextRow } from '../../../words/by-text.js';

const steps: Readonly<Record<string, string>> = {
  proxy: '프록시',
  name: '이름',
  certificate: '인증서',
  TLS: 'TLS',
  'Local Network': '로컬 네트워크',
  connection: '연결',
};

const machine: readonly TextRow[] = [
  [/^(local|tart|lume) on (.+), (.+)$/, (kind, os, arch) => `${kind} (${os}, ${arch})`],
  [/^([\d.]+ GB) free$/, (size) => `여유 공간 ${size}`],
  [/^none in (.+)$/, (folder) => `없음: ${folder}`],
  [/^none$/, () => '없음'],
  [/^Macs can be created$/, () => 'Mac을 만들 수 있음'],
  [/^(.+): tart exec does not work$/, (version) => `${version}: tart exec를 사용할 수 없음`],
  [/^(.+), under Rosetta$/, (chip) => `${chip}, Rosetta에서 실행 중`],
  [/^(.+), without virtualization$/, (chip) => `${chip}, 가상화를 사용할 수 없음`],
  [
    /^root: the checks of login, keychain and session are left out$/,
    () => 'root: 로그인, 키체인, 세션 점검을 건너뜀',
  ],
  [
    /^root: guests with macOS 15 and later do not start$/,
    () => 'root: macOS 15 이상의 게스트가 시작되지 않음',
  ],
  [/^root: builds of the local driver are root too$/, () => 'root: local 드라이버의 빌드도 root로 실행됨'],
  [/^(.+) is not a folder$/, (path) => `폴더가 아님: ${path}`],
  [
    /^(.+) belongs to the user (\d+), this process to (\d+)$/,
    (path, owner, own) => `${path} 폴더의 소유자는 ${owner}, 이 프로세스의 사용자는 ${own}`,
  ],
  [
    /^(.+), mode (\d+): other users can look into it$/,
    (path, mode) => `${path}, 권한 ${mode}: 다른 사용자가 볼 수 있음`,
  ],
  [/^(.+), mode (\d+)$/, (path, mode) => `${path}, 권한 ${mode}`],
  [/^only folders of Macs$/, () => 'Mac의 폴더만 있음'],
  [
    /^(.+) has what belongs to no Mac: (.+?)(?: and (\d+) more)?$/,
    (folder, names, more) =>
      `${folder} 폴더에 Mac의 것이 아닌 항목이 있음: ${names}${more === '' ? '' : ` 외 ${more}개`}`,
  ],
  [/^not limited$/, () => '제한 없음'],
  [/^launchd allows (.+)$/, (count) => `launchd 한도 ${count}`],
  [/^(\d+) for this process$/, (count) => `이 프로세스의 한도 ${count}`],
  [/^sleeps after (\d+) min$/, (minutes) => `${minutes}분 후 잠자기`],
  [/^never$/, () => '잠자지 않음'],
  [/^the machine never, but (.+)$/, (settings) => `컴퓨터는 잠자지 않지만 ${settings}`],
  [/^starts again, and wakes for the network$/, () => '다시 시작되며, 네트워크 접근 시 깨어남'],
  [/^does not wake for the network$/, () => '네트워크 접근 시 깨어나지 않음'],
  [/^stays off$/, () => '꺼진 상태로 있음'],
  [/^no answer within (\d+) s$/, (seconds) => `${seconds}초 안에 응답이 없음`],
  [/^(.+) cannot be read: no output$/, (what) => `읽을 수 없음: ${what} (출력 없음)`],
  [/^(.+) cannot be read: (.+)$/, (what, output) => `읽을 수 없음: ${what} (${output})`],
  [/^cannot be read: (.+)$/, (why) => `읽을 수 없음: ${why}`],
];

const login: readonly TextRow[] = [
  [
    /^(.+) is logged in at the screen; this process runs in the session (.+)$/,
    (user, session) => `${user} 계정이 화면에 로그인되어 있음. 이 프로세스의 세션: ${session}`,
  ],
  [/^(.+) is not logged in at the screen$/, (user) => `${user} 계정이 화면에 로그인되어 있지 않음`],
  [/^nobody is logged in after a restart$/, () => '재시동 후 자동으로 로그인되지 않음'],
  [
    /^(.+) is logged in after a restart, and the agent runs as (.+)$/,
    (name, user) => `재시동 후 ${name} 계정이 로그인되지만, 에이전트는 ${user} 계정으로 실행됨`,
  ],
  [
    /^(.+), but without a stored password \(\/etc\/kcpassword\)$/,
    (name) => `${name}, 저장된 암호 없음(/etc/kcpassword)`,
  ],
  [
    /^on: a restart waits for a password at the screen; the automatic login of (.+) has no effect$/,
    (name) => `켜짐: 재시동하면 화면에서 암호를 기다리며, ${name} 계정의 자동 로그인이 동작하지 않음`,
  ],
  [
    /^will be on: a restart waits for a password at the screen; the automatic login of (.+) has no effect$/,
    (name) => `켜질 예정: 재시동하면 화면에서 암호를 기다리며, ${name} 계정의 자동 로그인이 동작하지 않음`,
  ],
  [/^on: a restart waits for a password at the screen$/, () => '켜짐: 재시동하면 화면에서 암호를 기다림'],
  [
    /^will be on: a restart waits for a password at the screen$/,
    () => '켜질 예정: 재시동하면 화면에서 암호를 기다림',
  ],
  [/^(\/.+) does not exist$/, (file) => `없음: ${file}`],
  [/^locked: virtual machines do not start$/, () => '잠김: 가상 머신이 시작되지 않음'],
  [/^unlocked, but locks after (\d+) s$/, (seconds) => `열려 있지만 ${seconds}초 후 잠김`],
  [/^unlocked, but locks when the machine sleeps$/, () => '열려 있지만 컴퓨터가 잠자면 잠김'],
  [/^unlocked$/, () => '열려 있음'],
  [/^on \(immediate\)$/, () => '켜짐(즉시)'],
  [/^on \((\d+) seconds?\)$/, (seconds) => `켜짐(${seconds}초 후)`],
  [/^on: (.+), by a configuration profile$/, (keys) => `구성 프로파일로 켜짐: ${keys}`],
  [/^on: (.+)$/, (keys) => `켜짐: ${keys}`],
  [/^on$/, () => '켜짐'],
  [/^off$/, () => '꺼짐'],
];

const virtualMachines: readonly TextRow[] = [
  [
    /^(.+); license: Fair Source 0\.9, free .+$/,
    (v) => `${v}, 라이선스: Fair Source 0.9(코어 합계 100개까지 무료)`,
  ],
  [/^(.+); license: FSL-1\.1, not .+$/, (v) => `${v}, 라이선스: FSL-1.1(경쟁 서비스에는 사용 불가)`],
  [/^(.+); license: see (.+)$/, (v, page) => `${v}, 라이선스: ${page} 참고`],
  [/^(.+); license: (.+)$/, (v, license) => `${v}, 라이선스: ${license}`],
  [
    /^none runs; macOS runs (\d+); (\d+) belong to other programs$/,
    (most, others) => `실행 중인 것 없음(macOS 한도 ${most}개), 다른 프로그램의 가상 머신 ${others}개`,
  ],
  [/^none runs; macOS runs (\d+)$/, (most) => `실행 중인 것 없음(macOS 한도 ${most}개)`],
  [
    /^running: (.+); macOS runs (\d+); (\d+) belong to other programs$/,
    (names, most, others) => `실행 중: ${names}(macOS 한도 ${most}개), 다른 프로그램의 가상 머신 ${others}개`,
  ],
  [/^running: (.+); macOS runs (\d+)$/, (names, most) => `실행 중: ${names}(macOS 한도 ${most}개)`],
  [/^(\d+) s, the default$/, (seconds) => `${seconds}초(기본값)`],
  [/^(\d+) s$/, (seconds) => `${seconds}초`],
  [/^(\d+) of 253$/, (taken) => `253개 중 ${taken}개 사용`],
  [/^allowed; (.+) did not answer$/, (address) => `허용됨, ${address}의 응답 없음`],
  [/^([\d.]+) can be reached$/, (address) => `${address}에 연결할 수 있음`],
  [
    /^macOS refuses connections to (.+); images without tart’s guest agent cannot be used$/,
    (address) => `macOS가 ${address} 연결을 거부함. tart 게스트 에이전트가 없는 이미지는 사용할 수 없음`,
  ],
  [/^macOS refuses connections to (.+)$/, (address) => `macOS가 ${address} 연결을 거부함`],
];

const service: readonly TextRow[] = [
  [/^(\S+) answers$/, (site) => `${site} 응답함`],
  [
    /^(\S+) answers (\d+), but not as Cidermill does: (.*)$/,
    (site, status, body) => `${site} 응답이 Cidermill의 응답이 아님(HTTP ${status}): ${body}`,
  ],
  [/^(\S+) answers (\d+): (.*)$/, (site, status, body) => `${site} 응답: HTTP ${status}, ${body}`],
  [
    /^(\S+) cannot be reached: (proxy|name|certificate|TLS|Local Network|connection): (.*)$/,
    (site, step = '', why = '') => `${site}에 연결할 수 없음(${steps[step] ?? step}): ${why}`,
  ],
  [/^(\S+) is not encrypted$/, (site) => `암호화되지 않음: ${site}`],
  [/^valid for (-?\d+) more days, by (.+)$/, (days, issuer) => `${days}일 남음, 발급자 ${issuer}`],
  [/^certificate has expired$/, () => '인증서가 만료됨'],
  [/^differs by ([\d.]+) s$/, (seconds) => `${seconds}초 차이`],
  [
    /^right, but the clock of the service differs by (\d+) s$/,
    (seconds) => `정확하지만, 서비스의 시계가 ${seconds}초 다름`,
  ],
  [/^behind by (\d+) s$/, (seconds) => `${seconds}초 느림`],
  [/^ahead by (\d+) s$/, (seconds) => `${seconds}초 빠름`],
  [/^(\S+), as the service has it$/, (version) => `${version}, 서비스와 같은 버전`],
  [
    /^(\S+), newer than the service’s (\S+)$/,
    (version, theirs) => `${version}, 서비스의 ${theirs} 버전보다 새로움`,
  ],
  [/^(\S+); the service has (\S+)$/, (version, theirs) => `${version}, 서비스의 버전은 ${theirs}`],
];

// The rows of `machine` that take any text come last.
const rows = [...service, ...login, ...virtualMachines, ...machine];

export const findingFound = (text: string, language: Language): string => byText(rows, text, language);
