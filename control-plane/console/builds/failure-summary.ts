// Why a build failed, in languages that the API does not speak: by the code of the failure. The API's summary quotes the
// log, so it is shown besides, unless it says no more than this.
import type { Build } from '../../../client/types.js';
import type { Language } from '../../../shared/language.js';
import { koreanByText, type TextRow } from '../words/by-text.js';
import { createFormat } from '../words/format.js';

/** Null: not known. */
type Failed = Pick<Build, 'exit_code'> & { readonly timeout_min: number | null };

const format = createFormat('ko');

const korean: Readonly<Record<string, string | ((build: Failed) => string)>> = {
  compile_error: '컴파일 오류가 발생했습니다.',
  link_error: '링크 오류가 발생했습니다.',
  test_failure: '테스트가 실패했습니다.',
  test_crash: '테스트 프로세스가 비정상 종료되었습니다.',
  script_failed: ({ exit_code: code }) =>
    code === null ? '스크립트가 실패했습니다.' : `스크립트가 종료 코드 ${code}번으로 끝났습니다.`,
  command_not_found: '스크립트의 명령을 찾을 수 없습니다.',
  not_executable: '스크립트 또는 스크립트의 명령을 실행할 수 없습니다.',
  xcodebuild_failed: 'xcodebuild가 실패했습니다.',
  signing_error: '코드 서명에 실패했습니다.',
  store_rejected: 'App Store Connect 또는 공증 서비스가 거부했습니다.',
  package_resolution_failed: '패키지 의존성을 해석하지 못했습니다.',
  cocoapods_failed: 'CocoaPods가 실패했습니다.',
  scheme_or_destination_not_found: '스킴이나 대상을 찾을 수 없습니다.',
  timeout: ({ timeout_min: minutes }) =>
    minutes === null
      ? '제한 시간을 넘어 중단되었습니다.'
      : `제한 시간(${format.duration(minutes * 60_000)})을 넘어 중단되었습니다.`,
  disk_full: '빌드가 디스크를 가득 채웠습니다.',
  clone_failed: '저장소를 복제하지 못했습니다.',
  commit_not_found: '커밋, 브랜치 또는 태그를 찾을 수 없습니다.',
  environment_too_large: '환경 변수가 너무 큽니다.',
  host_lost: '빌드를 실행하던 호스트와 연결이 끊겼습니다.',
  mac_lost: '빌드를 실행하던 Mac을 사용할 수 없게 되었습니다.',
  workspace_failed: 'Mac에서 작업 폴더를 준비하지 못했습니다.',
  xcode_missing: 'Mac에 필요한 Xcode가 없습니다.',
  host_disk_full: '호스트의 디스크가 가득 찼습니다.',
  source_unavailable: '빌드의 소스를 더 이상 사용할 수 없습니다.',
  secret_unreadable: '시크릿을 읽을 수 없습니다.',
  build_folder_changed: '스크립트가 호스트 에이전트의 파일을 변경했습니다.',
  log_lost: '로그의 끝부분이 유실되어 실패 원인을 알 수 없습니다.',
  internal_error: '서비스 내부 오류로 빌드가 실패했습니다.',
  killed: '시스템이 프로세스를 강제 종료했습니다.',
  compiler_crash: '컴파일러가 비정상 종료되었습니다.',
  network_error: '다른 서버에 연결하지 못했습니다.',
};

/** Summaries of the service that say no more than the code of the failure and the exit code. */
const PLAIN =
  /^The (?:build (?:was still running|ran longer|failed in the step)|script ended with exit code|script was (?:killed|ended by)|host of this build was lost|Mac of this build was lost|sources of this build are gone)|\(exit code 12[67]\)\.$/;

/** Sentences of the service about what the log says, with what they quote of it. */
const sentences: readonly TextRow[] = [
  [
    /^The script begins with a byte order mark, which the shell takes for a part of the first command\.$/,
    () => '스크립트가 바이트 순서 표식(BOM)으로 시작해서 셸이 이를 첫 명령의 일부로 읽었습니다.',
  ],
  [
    /^The first line of the script \(#!\) ends in CR LF, as Windows editors write it, and the system looks for an interpreter whose name ends in CR\.$/,
    () =>
      '스크립트의 첫 줄(#!)이 Windows 편집기처럼 CR LF로 끝나서 이름이 CR로 끝나는 인터프리터를 찾았습니다.',
  ],
  [
    /^The lines of a script end in CR LF, and the shell takes the CR for a part of the command\.$/,
    () => '스크립트의 줄이 CR LF로 끝나서 셸이 CR을 명령의 일부로 읽었습니다.',
  ],
  [
    /^The first line \(#!\) of a script ends in CR LF, so its interpreter was not found\.$/,
    () => '스크립트의 첫 줄(#!)이 CR LF로 끝나서 인터프리터를 찾지 못했습니다.',
  ],
  [
    /^(.+) could not be started: its arguments and environment are larger than the operating system allows\.$/,
    (command) => `인자와 환경 변수가 운영체제의 한도보다 커서 실행할 수 없습니다: ${command}`,
  ],
  [
    /^(.+) is not a program that this machine can execute\.$/,
    (path) => `이 컴퓨터에서 실행할 수 있는 프로그램이 아닙니다: ${path}`,
  ],
  [
    /^The interpreter that (.+) names in its first line \(#!\) was not found\.$/,
    (path) => `첫 줄(#!)에 지정된 인터프리터를 찾을 수 없습니다: ${path}`,
  ],
  [
    /^A script asks for the interpreter (.+), which is not there\.$/,
    (program) => `스크립트가 사용하는 인터프리터가 없습니다: ${program}`,
  ],
  [/^Killed by the system \(signal 9\): (.+)$/, (command) => `시스템이 강제 종료함(시그널 9): ${command}`],
  [
    /^A compiler process was killed by the system \(signal 9\), usually for lack of memory\.$/,
    () => '시스템이 컴파일러 프로세스를 강제 종료했습니다(시그널 9). 대개 메모리 부족이 원인입니다.',
  ],
  [
    /^A process of the build was killed by the system \(signal 9\), usually for lack of memory\.$/,
    () => '시스템이 빌드의 프로세스를 강제 종료했습니다(시그널 9). 대개 메모리 부족이 원인입니다.',
  ],
  [/^A script phase of the Xcode project failed\.$/, () => 'Xcode 프로젝트의 스크립트 단계가 실패했습니다.'],
  [/^Testing failed\.$/, () => '테스트가 실패했습니다.'],
  [/^Testing failed: (.+)$/, (detail) => `테스트가 실패했습니다: ${detail}`],
  [/^xcodebuild failed \((.+?)\)\.$/, (action) => `xcodebuild가 실패했습니다(${action}).`],
  [
    /^xcodebuild failed \((.+?)\) at: (.+)$/,
    (action, detail) => `xcodebuild가 실패했습니다(${action}): ${detail}`,
  ],
  [/^In the expansion of (.+?): (.+)$/, (macro, message) => `매크로 ${macro} 전개 중: ${message}`],
  [/^The compiler crashed\.$/, () => '컴파일러가 비정상 종료되었습니다.'],
  [/^The compiler crashed: (.+)$/, (detail) => `컴파일러가 비정상 종료되었습니다: ${detail}`],
  [/^The program panicked\.$/, () => '프로그램이 패닉으로 종료되었습니다.'],
  [/^The program panicked: (.+)$/, (detail) => `프로그램이 패닉으로 종료되었습니다: ${detail}`],
  [/^([^ :]+) crashed\.$/, (tool) => `프로그램이 비정상 종료되었습니다: ${tool}`],
  [/^([^ :]+) crashed: (.+)$/, (tool, detail) => `프로그램이 비정상 종료되었습니다: ${tool}: ${detail}`],
  [/^Gradle: the build failed\.$/, () => 'Gradle 빌드가 실패했습니다.'],
  [
    /^codesign could not use the signing key \((.+)\)\.$/,
    (message) => `codesign이 서명 키를 사용할 수 없습니다(${message}).`,
  ],
  [
    /^Notarization ended with the status (.+)\.$/,
    (status) => `공증이 끝났지만 승인되지 않았습니다(상태: ${status}).`,
  ],
  [
    /^The test process crashed with signal (.+)\.$/,
    (signal) => `테스트 프로세스가 비정상 종료되었습니다(시그널 ${signal}).`,
  ],
  [/^The test process ended or hung\.$/, () => '테스트 프로세스가 종료되었거나 응답하지 않습니다.'],
  [
    /^The test process ended or hung in (.+)\.$/,
    (test) => `테스트 프로세스가 종료되었거나 응답하지 않습니다: ${test}`,
  ],
  [
    /^The host stopped the build without being asked to\.$/,
    () => '요청이 없었는데 호스트가 빌드를 중단했습니다.',
  ],
  [/^Tests in (.+) failed\.$/, (group) => `테스트 실패: ${group}`],
  [/^The command (.+) was not found\.$/, (command) => `명령을 찾을 수 없습니다: ${command}`],
  [/^(.+) is not there\.$/, (path) => `파일이 없습니다: ${path}`],
  [/^(.+) may not be executed\.$/, (path) => `실행 권한이 없습니다: ${path}`],
  [/^The step (.+) failed\.$/, (step) => `빌드 단계가 실패했습니다: ${step}`],
  [/^Tests failed\.$/, () => '테스트가 실패했습니다.'],
  [/^(.+) failed\.$/, (test) => `실패: ${test}`],
  [
    /^A program asked for input, and a build has no terminal to answer on\.$/,
    () => '프로그램이 입력을 요청했지만 빌드에는 응답할 터미널이 없습니다.',
  ],
  [
    /^sudo asked for a password, and a build has no terminal to answer on\.$/,
    () => 'sudo가 암호를 요청했지만 빌드에는 응답할 터미널이 없습니다.',
  ],
  [
    /^A tool could not write: no space left on the disk\.$/,
    () => '디스크에 남은 공간이 없어 쓸 수 없습니다.',
  ],
];

export interface FailureSummary {
  readonly text: string;
  /** The API's summary, when it says more; in English, as the tools of the build are. */
  readonly quote: string | null;
}

/** @example failureSummary(build, failure, 'ko') // { text: '컴파일 오류가 …', quote: 'App.swift:3: cannot find …' } */
export function failureSummary(
  build: Failed,
  failure: { readonly reason_code: string; readonly summary: string },
  language: Language,
): FailureSummary {
  const { reason_code: code, summary } = failure;
  const said = language === 'ko' && Object.hasOwn(korean, code) ? korean[code] : undefined;
  if (said === undefined) return { text: summary, quote: null };
  const sentence = koreanByText(sentences, summary);
  if (sentence !== null) return { text: sentence, quote: null };
  const text = typeof said === 'string' ? said : said(build);
  return { text, quote: PLAIN.test(summary) ? null : summary };
}
