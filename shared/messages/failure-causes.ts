// Why a build failed: what the service says of its log, and what a host says of its run.
import { countOf } from '../count.js';
import { hostFailures } from './host-failures.js';
import { type ArgumentsOf, type Message, message, plain, sentence } from './message.js';

const steps = ['prepare', 'source', 'xcode', 'script', 'artifacts', 'platform'] as const;

const commandAlone = { command: 'text' } as const;
const pathAlone = { path: 'text' } as const;
const detailAlone = { detail: 'text' } as const;
const testAlone = { test: 'text' } as const;

export const failureCauses = {
  ...hostFailures,

  // Of the script, by its exit code.
  exit_code: sentence(
    { code: 'number' },
    {
      en: ({ code }) => `The script ended with exit code ${code}.`,
      ko: ({ code }) => `스크립트가 종료 코드 ${code}번으로 끝났습니다.`,
    },
  ),
  exit_code_read_log: sentence(
    { code: 'number' },
    {
      en: ({ code }) => `The script ended with exit code ${code}; the end of the log says why.`,
      ko: ({ code }) => `스크립트가 종료 코드 ${code}번으로 끝났습니다. 로그의 끝부분에 이유가 있습니다.`,
    },
  ),
  exit_code_of_signal: sentence(
    { code: 'number', signal: 'number' },
    {
      en: ({ code, signal }) => `The script ended with exit code ${code} (signal ${signal}).`,
      ko: ({ code, signal }) => `스크립트가 종료 코드 ${code}번으로 끝났습니다(시그널 ${signal}).`,
    },
  ),
  ended_by_signal: sentence(
    { code: 'number', signal: 'text' },
    {
      en: ({ code, signal }) => `The script was ended by the signal ${signal} (exit code ${code}).`,
      ko: ({ code, signal }) => `스크립트가 시그널 ${signal}(으)로 종료되었습니다(종료 코드 ${code}).`,
    },
  ),
  killed: plain({
    en: 'The script was killed (SIGKILL), but not by this service: it may have needed too much memory.',
    ko: '스크립트가 강제 종료되었지만(SIGKILL) 이 서비스가 한 일이 아닙니다. 메모리가 부족했을 수 있습니다.',
  }),
  script_not_executable: sentence(
    { code: 'number' },
    {
      en: ({ code }) => `The script, or a command in it, cannot be executed (exit code ${code}).`,
      ko: ({ code }) => `스크립트 또는 스크립트의 명령을 실행할 수 없습니다(종료 코드 ${code}).`,
    },
  ),
  script_command_not_found: sentence(
    { code: 'number' },
    {
      en: ({ code }) => `A command of the script was not found (exit code ${code}).`,
      ko: ({ code }) => `스크립트의 명령을 찾을 수 없습니다(종료 코드 ${code}).`,
    },
  ),
  failed_in_step: sentence(
    { step: steps },
    {
      en: ({ step }) => `The build failed in the step ${step}.`,
      ko: ({ step }) => `빌드 단계에서 실패했습니다: ${step}`,
    },
  ),
  still_running: sentence(
    { minutes: 'number' },
    {
      en: ({ minutes }) => `The build was still running after ${countOf(minutes, 'minute')} and was stopped.`,
      ko: ({ minutes }) => `빌드가 제한 시간 ${minutes}분이 지나도 끝나지 않아 중단되었습니다.`,
    },
  ),
  ran_too_long: sentence(
    { seconds: 'number' },
    {
      en: ({ seconds }) =>
        `The build ran longer than its limit of ${seconds % 60 === 0 ? countOf(seconds / 60, 'minute') : countOf(seconds, 'second')} and was stopped.`,
      ko: ({ seconds }) =>
        `제한 시간(${seconds % 60 === 0 ? `${seconds / 60}분` : `${seconds}초`})을 넘어 중단되었습니다.`,
    },
  ),
  stopped_unasked: plain({
    en: 'The host stopped the build without being asked to.',
    ko: '요청이 없었는데 호스트가 빌드를 중단했습니다.',
  }),
  host_lost: plain({
    en: 'The host of this build was lost.',
    ko: '빌드를 실행하던 호스트와 연결이 끊겼습니다.',
  }),
  mac_lost: plain({
    en: 'The Mac of this build was lost.',
    ko: '빌드를 실행하던 Mac을 사용할 수 없게 되었습니다.',
  }),
  log_not_delivered: plain({
    en: 'The host did not deliver the end of this log.',
    ko: '호스트가 로그의 끝부분을 보내지 않았습니다.',
  }),
  end_not_reported: plain({
    en: 'The host did not report the end of this build.',
    ko: '호스트가 빌드의 종료를 알리지 않았습니다.',
  }),
  log_end_lost: sentence(
    { summary: 'text' },
    {
      en: ({ summary }) => `${summary} The end of its log was lost.`,
      ko: ({ summary }) => `로그의 끝부분이 유실되었습니다: ${summary}`,
    },
  ),
  host_restarted: plain({
    en: 'The host was restarted while the build ran. The build can be run again unchanged.',
    ko: '빌드 실행 중에 호스트가 재시동되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  }),
  process_hung: plain({
    en: 'The process that ran the build on the host stopped answering and was ended. The build can be run again unchanged.',
    ko: '호스트에서 빌드를 실행하던 프로세스가 응답하지 않아 종료되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  }),
  process_ended: plain({
    en: 'The process that ran the build on the host ended unexpectedly. The build can be run again unchanged.',
    ko: '호스트에서 빌드를 실행하던 프로세스가 예기치 않게 종료되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  }),

  sources_gone: plain({
    en: 'The sources of this build are gone.',
    ko: '빌드의 소스를 더 이상 사용할 수 없습니다.',
  }),
  agent_too_old_for_files: sentence(
    { names: 'text' },
    {
      en: ({ names }) =>
        `The agent of the host is too old for secrets that are files (${names}); its operator has to upgrade it.`,
      ko: ({ names }) =>
        `호스트의 에이전트가 너무 오래되어 파일 시크릿을 사용할 수 없습니다(${names}). 운영자가 업그레이드해야 합니다.`,
    },
  ),
  secrets_unreadable: sentence(
    { names: 'text', count: 'number', more: 'number' },
    {
      en: ({ names, count, more }) =>
        `The ${count === 1 ? 'secret' : 'secrets'} ${names}${more === 0 ? '' : ` and ${more} more`} of this account cannot be opened any more.`,
      ko: ({ names, more }) =>
        `이 계정의 시크릿을 더 이상 열 수 없습니다: ${names}${more === 0 ? '' : ` 외 ${more}개`}`,
    },
  ),
  commit_status_failed: sentence(
    { state: 'text', reason: 'text' },
    {
      en: ({ state, reason }) => `The status ${state} of the commit could not be written: ${reason}`,
      ko: ({ state, reason }) => `커밋 상태 ${state}을(를) 기록하지 못했습니다: ${reason}`,
    },
  ),

  // Of the text of the script.
  script_byte_order_mark: plain({
    en: 'The script begins with a byte order mark, which the shell takes for a part of the first command.',
    ko: '스크립트가 바이트 순서 표식(BOM)으로 시작해서 셸이 이를 첫 명령의 일부로 읽었습니다.',
  }),
  script_interpreter_cr: plain({
    en: 'The first line of the script (#!) ends in CR LF, as Windows editors write it, and the system looks for an interpreter whose name ends in CR.',
    ko: '스크립트의 첫 줄(#!)이 Windows 편집기처럼 CR LF로 끝나서 이름이 CR로 끝나는 인터프리터를 찾았습니다.',
  }),

  // Of lines of the log.
  cr_in_command: plain({
    en: 'The lines of a script end in CR LF, and the shell takes the CR for a part of the command.',
    ko: '스크립트의 줄이 CR LF로 끝나서 셸이 CR을 명령의 일부로 읽었습니다.',
  }),
  cr_in_interpreter: plain({
    en: 'The first line (#!) of a script ends in CR LF, so its interpreter was not found.',
    ko: '스크립트의 첫 줄(#!)이 CR LF로 끝나서 인터프리터를 찾지 못했습니다.',
  }),
  arguments_too_large: sentence(commandAlone, {
    en: ({ command }) =>
      `${command} could not be started: its arguments and environment are larger than the operating system allows.`,
    ko: ({ command }) => `인자와 환경 변수가 운영체제의 한도보다 커서 실행할 수 없습니다: ${command}`,
  }),
  command_not_found: sentence(commandAlone, {
    en: ({ command }) => `The command ${command} was not found.`,
    ko: ({ command }) => `명령을 찾을 수 없습니다: ${command}`,
  }),
  not_there: sentence(pathAlone, {
    en: ({ path }) => `${path} is not there.`,
    ko: ({ path }) => `파일이 없습니다: ${path}`,
  }),
  not_executable: sentence(pathAlone, {
    en: ({ path }) => `${path} may not be executed.`,
    ko: ({ path }) => `실행 권한이 없습니다: ${path}`,
  }),
  not_a_program: sentence(pathAlone, {
    en: ({ path }) => `${path} is not a program that this machine can execute.`,
    ko: ({ path }) => `이 컴퓨터에서 실행할 수 있는 프로그램이 아닙니다: ${path}`,
  }),
  interpreter_not_found: sentence(pathAlone, {
    en: ({ path }) => `The interpreter that ${path} names in its first line (#!) was not found.`,
    ko: ({ path }) => `첫 줄(#!)에 지정된 인터프리터를 찾을 수 없습니다: ${path}`,
  }),
  interpreter_missing: sentence(
    { program: 'text' },
    {
      en: ({ program }) => `A script asks for the interpreter ${program}, which is not there.`,
      ko: ({ program }) => `스크립트가 사용하는 인터프리터가 없습니다: ${program}`,
    },
  ),
  killed_by_system: sentence(commandAlone, {
    en: ({ command }) => `Killed by the system (signal 9): ${command}`,
    ko: ({ command }) => `시스템이 강제 종료함(시그널 9): ${command}`,
  }),
  compiler_killed: plain({
    en: 'A compiler process was killed by the system (signal 9), usually for lack of memory.',
    ko: '시스템이 컴파일러 프로세스를 강제 종료했습니다(시그널 9). 대개 메모리 부족이 원인입니다.',
  }),
  process_killed: plain({
    en: 'A process of the build was killed by the system (signal 9), usually for lack of memory.',
    ko: '시스템이 빌드의 프로세스를 강제 종료했습니다(시그널 9). 대개 메모리 부족이 원인입니다.',
  }),
  disk_full: plain({
    en: 'A tool could not write: no space left on the disk.',
    ko: '디스크에 남은 공간이 없어 쓸 수 없습니다.',
  }),
  no_terminal: plain({
    en: 'A program asked for input, and a build has no terminal to answer on.',
    ko: '프로그램이 입력을 요청했지만 빌드에는 응답할 터미널이 없습니다.',
  }),
  no_terminal_for_sudo: plain({
    en: 'sudo asked for a password, and a build has no terminal to answer on.',
    ko: 'sudo가 암호를 요청했지만 빌드에는 응답할 터미널이 없습니다.',
  }),
  step_failed: sentence(
    { step: 'text' },
    {
      en: ({ step }) => `The step ${step} failed.`,
      ko: ({ step }) => `빌드 단계가 실패했습니다: ${step}`,
    },
  ),
  script_phase_failed: plain({
    en: 'A script phase of the Xcode project failed.',
    ko: 'Xcode 프로젝트의 스크립트 단계가 실패했습니다.',
  }),
  xcodebuild_failed: sentence(
    { action: 'text' },
    {
      en: ({ action }) => `xcodebuild failed (${action}).`,
      ko: ({ action }) => `xcodebuild가 실패했습니다(${action}).`,
    },
  ),
  xcodebuild_failed_at: sentence(
    { action: 'text', detail: 'text' },
    {
      en: ({ action, detail }) => `xcodebuild failed (${action}) at: ${detail}`,
      ko: ({ action, detail }) => `xcodebuild가 실패했습니다(${action}): ${detail}`,
    },
  ),
  in_macro: sentence(
    { macro: 'text', message: 'text' },
    {
      en: ({ macro, message }) => `In the expansion of ${macro}: ${message}`,
      ko: ({ macro, message }) => `매크로 ${macro} 전개 중: ${message}`,
    },
  ),
  compiler_crashed: plain({ en: 'The compiler crashed.', ko: '컴파일러가 비정상 종료되었습니다.' }),
  compiler_crashed_at: sentence(detailAlone, {
    en: ({ detail }) => `The compiler crashed: ${detail}`,
    ko: ({ detail }) => `컴파일러가 비정상 종료되었습니다: ${detail}`,
  }),
  tool_crashed: sentence(
    { tool: 'text' },
    {
      en: ({ tool }) => `${tool} crashed.`,
      ko: ({ tool }) => `프로그램이 비정상 종료되었습니다: ${tool}`,
    },
  ),
  tool_crashed_at: sentence(
    { tool: 'text', detail: 'text' },
    {
      en: ({ tool, detail }) => `${tool} crashed: ${detail}`,
      ko: ({ tool, detail }) => `프로그램이 비정상 종료되었습니다: ${tool}: ${detail}`,
    },
  ),
  undefined_symbols: plain({ en: 'Undefined symbols', ko: '정의되지 않은 심벌이 있습니다' }),
  undefined_symbols_for: sentence(
    { arch: 'text' },
    {
      en: ({ arch }) => `Undefined symbols for ${arch}`,
      ko: ({ arch }) => `${arch}용으로 정의되지 않은 심벌이 있습니다`,
    },
  ),
  undefined_symbol: sentence(
    { symbol: 'text' },
    {
      en: ({ symbol }) => `Undefined symbol ${symbol}`,
      ko: ({ symbol }) => `정의되지 않은 심벌: ${symbol}`,
    },
  ),
  undefined_symbol_for: sentence(
    { symbol: 'text', arch: 'text' },
    {
      en: ({ symbol, arch }) => `Undefined symbol ${symbol} for ${arch}`,
      ko: ({ symbol, arch }) => `정의되지 않은 심벌(${arch}): ${symbol}`,
    },
  ),
  duplicate_symbol: sentence(
    { symbol: 'text' },
    {
      en: ({ symbol }) => `Duplicate symbol ${symbol}`,
      ko: ({ symbol }) => `중복된 심벌: ${symbol}`,
    },
  ),
  gradle_failed: plain({ en: 'Gradle: the build failed.', ko: 'Gradle 빌드가 실패했습니다.' }),
  program_panicked: plain({ en: 'The program panicked.', ko: '프로그램이 패닉으로 종료되었습니다.' }),
  program_panicked_at: sentence(detailAlone, {
    en: ({ detail }) => `The program panicked: ${detail}`,
    ko: ({ detail }) => `프로그램이 패닉으로 종료되었습니다: ${detail}`,
  }),
  signing_key_unusable: sentence(
    { message: 'text' },
    {
      en: ({ message }) => `codesign could not use the signing key (${message}).`,
      ko: ({ message }) => `codesign이 서명 키를 사용할 수 없습니다(${message}).`,
    },
  ),
  notarization_ended: sentence(
    { status: 'text' },
    {
      en: ({ status }) => `Notarization ended with the status ${status}.`,
      ko: ({ status }) => `공증이 끝났지만 승인되지 않았습니다(상태: ${status}).`,
    },
  ),
  tests_failed: plain({ en: 'Tests failed.', ko: '테스트가 실패했습니다.' }),
  tests_failed_in: sentence(
    { group: 'text' },
    { en: ({ group }) => `Tests in ${group} failed.`, ko: ({ group }) => `테스트 실패: ${group}` },
  ),
  test_failed: sentence(testAlone, {
    en: ({ test }) => `${test} failed.`,
    ko: ({ test }) => `실패: ${test}`,
  }),
  test_panicked: sentence(testAlone, {
    en: ({ test }) => `${test}: panicked`,
    ko: ({ test }) => `패닉으로 종료됨: ${test}`,
  }),
  testing_failed: plain({ en: 'Testing failed.', ko: '테스트가 실패했습니다.' }),
  testing_failed_at: sentence(detailAlone, {
    en: ({ detail }) => `Testing failed: ${detail}`,
    ko: ({ detail }) => `테스트가 실패했습니다: ${detail}`,
  }),
  test_process_crashed: sentence(
    { signal: 'text' },
    {
      en: ({ signal }) => `The test process crashed with signal ${signal}.`,
      ko: ({ signal }) => `테스트 프로세스가 비정상 종료되었습니다(시그널 ${signal}).`,
    },
  ),
  test_process_ended: plain({
    en: 'The test process ended or hung.',
    ko: '테스트 프로세스가 종료되었거나 응답하지 않습니다.',
  }),
  test_process_ended_in: sentence(testAlone, {
    en: ({ test }) => `The test process ended or hung in ${test}.`,
    ko: ({ test }) => `테스트 프로세스가 종료되었거나 응답하지 않습니다: ${test}`,
  }),
};

type Codes = typeof failureCauses;

/** @example failureCause('test_failed', { test: 'CartTests.testTotal' }) */
export const failureCause = <C extends keyof Codes>(code: C, ...params: ArgumentsOf<Codes, C>): Message =>
  message(failureCauses, code, ...params);
