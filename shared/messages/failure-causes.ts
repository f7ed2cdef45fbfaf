// Why a build failed: as the service reads it from the log, and as the host reports it.
import { countOf } from '../count.js';
import { hostFailures } from './host-failures.js';
import { messagesOf, sentence, sentences } from './message.js';

const steps = ['prepare', 'source', 'xcode', 'script', 'artifacts', 'platform'] as const;

export const failureCauses = sentences({
  ...hostFailures,

  // Of the script, by its exit code.
  exit_code: {
    en: 'The script ended with exit code {code, number}.',
    ko: '스크립트가 종료 코드 {code}번으로 끝났습니다.',
  },
  exit_code_read_log: {
    en: 'The script ended with exit code {code, number}; the end of the log says why.',
    ko: '스크립트가 종료 코드 {code}번으로 끝났습니다. 로그의 끝부분에 이유가 있습니다.',
  },
  exit_code_of_signal: {
    en: 'The script ended with exit code {code, number} (signal {signal, number}).',
    ko: '스크립트가 종료 코드 {code}번으로 끝났습니다(시그널 {signal}).',
  },
  ended_by_signal: {
    en: 'The script was ended by the signal {signal} (exit code {code, number}).',
    ko: '스크립트가 시그널 {signal}에 의해 종료되었습니다(종료 코드 {code}).',
  },
  killed: {
    en: 'The script was killed (SIGKILL), but not by this service: it may have needed too much memory.',
    ko: '스크립트가 강제 종료되었습니다(SIGKILL). 이 서비스가 종료한 것은 아니며, 메모리가 부족했을 수 있습니다.',
  },
  script_not_executable: {
    en: 'The script, or a command in it, cannot be executed (exit code {code, number}).',
    ko: '스크립트 또는 스크립트의 명령을 실행할 수 없습니다(종료 코드 {code}).',
  },
  script_command_not_found: {
    en: 'A command of the script was not found (exit code {code, number}).',
    ko: '스크립트의 명령을 찾을 수 없습니다(종료 코드 {code}).',
  },
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
  stopped_unasked: {
    en: 'The host stopped the build, although the service had not requested it.',
    ko: '서비스의 요청 없이 호스트가 빌드를 중단했습니다.',
  },
  host_lost: {
    en: 'The host of this build was lost.',
    ko: '빌드를 실행하던 호스트와 연결이 끊겼습니다.',
  },
  mac_lost: {
    en: 'The Mac of this build was lost.',
    ko: '빌드를 실행하던 Mac을 사용할 수 없게 되었습니다.',
  },
  log_not_delivered: {
    en: 'The host did not deliver the end of this log.',
    ko: '호스트가 로그의 끝부분을 보내지 않았습니다.',
  },
  end_not_reported: {
    en: 'The host did not report the end of this build.',
    ko: '호스트가 빌드의 종료를 알리지 않았습니다.',
  },
  log_end_lost: { en: '{summary} The end of its log was lost.', ko: '로그의 끝부분이 유실되었습니다: {summary}' },
  host_restarted: {
    en: 'The host was restarted while the build ran. The build can be run again unchanged.',
    ko: '빌드 실행 중에 호스트가 재시동되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  },
  process_hung: {
    en: 'The process that ran the build on the host stopped answering and was ended. The build can be run again unchanged.',
    ko: '호스트에서 빌드를 실행하던 프로세스가 응답하지 않아 종료되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  },
  process_ended: {
    en: 'The process that ran the build on the host ended unexpectedly. The build can be run again unchanged.',
    ko: '호스트에서 빌드를 실행하던 프로세스가 예기치 않게 종료되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  },

  sources_gone: {
    en: 'The sources of this build no longer exist.',
    ko: '빌드의 소스를 더 이상 사용할 수 없습니다.',
  },
  agent_too_old_for_files: {
    en: 'The agent of the host does not support secrets that are files ({names}); its operator has to upgrade it.',
    ko: '호스트의 에이전트가 너무 오래되어 파일 시크릿을 사용할 수 없습니다({names}). 운영자가 업그레이드해야 합니다.',
  },
  secrets_unreadable: sentence(
    { names: 'text', count: 'number', more: 'number' },
    {
      en: ({ names, count, more }) =>
        `The ${count === 1 ? 'secret' : 'secrets'} ${names}${more === 0 ? '' : ` and ${more} more`} of this account can no longer be decrypted.`,
      ko: ({ names, more }) =>
        `이 계정의 시크릿을 더 이상 복호화할 수 없습니다: ${names}${more === 0 ? '' : ` 외 ${more}개`}`,
    },
  ),
  commit_status_failed: {
    en: 'The status {state} of the commit could not be written: {reason}',
    ko: '커밋 상태를 기록하지 못했습니다({state}): {reason}',
  },

  // Of the text of the script.
  script_byte_order_mark: {
    en: 'The script begins with a byte order mark, which the shell reads as part of the first command.',
    ko: '스크립트가 바이트 순서 표식(BOM)으로 시작해서 셸이 이를 첫 명령의 일부로 읽었습니다.',
  },
  script_interpreter_cr: {
    en: 'The first line of the script (#!) ends in CR LF, as Windows editors write it, so the system looks for an interpreter whose name ends in CR.',
    ko: '스크립트의 첫 줄(#!)이 Windows 편집기처럼 CR LF로 끝나서 이름이 CR로 끝나는 인터프리터를 찾았습니다.',
  },

  // Of lines of the log.
  cr_in_command: {
    en: 'The lines of a script end in CR LF, and the shell reads the CR as part of the command.',
    ko: '스크립트의 줄이 CR LF로 끝나서 셸이 CR을 명령의 일부로 읽었습니다.',
  },
  cr_in_interpreter: {
    en: 'The first line (#!) of a script ends in CR LF, so its interpreter was not found.',
    ko: '스크립트의 첫 줄(#!)이 CR LF로 끝나서 인터프리터를 찾지 못했습니다.',
  },
  arguments_too_large: {
    en: '{command} could not be started: its arguments and environment are larger than the operating system allows.',
    ko: '인자와 환경 변수가 운영체제의 한도보다 커서 실행할 수 없습니다: {command}',
  },
  command_not_found: { en: 'The command {command} was not found.', ko: '명령을 찾을 수 없습니다: {command}' },
  not_there: { en: '{path} does not exist.', ko: '파일이 없습니다: {path}' },
  not_executable: { en: '{path} is not executable.', ko: '실행 권한이 없습니다: {path}' },
  not_a_program: {
    en: '{path} is not a program that this machine can execute.',
    ko: '이 컴퓨터에서 실행할 수 있는 프로그램이 아닙니다: {path}',
  },
  interpreter_not_found: {
    en: 'The interpreter that {path} names in its first line (#!) was not found.',
    ko: '첫 줄(#!)에 지정된 인터프리터를 찾을 수 없습니다: {path}',
  },
  interpreter_missing: {
    en: 'A script uses the interpreter {program}, which does not exist.',
    ko: '스크립트가 사용하는 인터프리터가 없습니다: {program}',
  },
  killed_by_system: {
    en: 'Killed by the system (signal 9): {command}',
    ko: '시스템이 강제 종료함(시그널 9): {command}',
  },
  compiler_killed: {
    en: 'A compiler process was killed by the system (signal 9), usually for lack of memory.',
    ko: '시스템이 컴파일러 프로세스를 강제 종료했습니다(시그널 9). 대개 메모리 부족이 원인입니다.',
  },
  process_killed: {
    en: 'A process of the build was killed by the system (signal 9), usually for lack of memory.',
    ko: '시스템이 빌드의 프로세스를 강제 종료했습니다(시그널 9). 대개 메모리 부족이 원인입니다.',
  },
  disk_full: {
    en: 'A tool could not write: no space left on the disk.',
    ko: '디스크에 남은 공간이 없어 쓸 수 없습니다.',
  },
  no_terminal: {
    en: 'A program asked for input, but nothing can be typed in a build.',
    ko: '프로그램이 입력을 요청했지만 빌드에는 응답할 터미널이 없습니다.',
  },
  no_terminal_for_sudo: {
    en: 'sudo asked for a password, but nothing can be typed in a build.',
    ko: 'sudo가 암호를 요청했지만 빌드에는 응답할 터미널이 없습니다.',
  },
  step_failed: { en: 'The step {step} failed.', ko: '빌드 단계가 실패했습니다: {step}' },
  script_phase_failed: {
    en: 'A script phase of the Xcode project failed.',
    ko: 'Xcode 프로젝트의 스크립트 단계가 실패했습니다.',
  },
  xcodebuild_failed: { en: 'xcodebuild failed ({action}).', ko: 'xcodebuild가 실패했습니다({action}).' },
  xcodebuild_failed_at: {
    en: 'xcodebuild failed ({action}) at: {detail}',
    ko: 'xcodebuild가 실패했습니다({action}): {detail}',
  },
  in_macro: { en: 'In the expansion of {macro}: {message}', ko: '매크로 {macro} 전개 중: {message}' },
  compiler_crashed: { en: 'The compiler crashed.', ko: '컴파일러가 비정상 종료되었습니다.' },
  compiler_crashed_at: { en: 'The compiler crashed: {detail}', ko: '컴파일러가 비정상 종료되었습니다: {detail}' },
  tool_crashed: { en: '{tool} crashed.', ko: '프로그램이 비정상 종료되었습니다: {tool}' },
  tool_crashed_at: { en: '{tool} crashed: {detail}', ko: '프로그램이 비정상 종료되었습니다: {tool}: {detail}' },
  undefined_symbols: { en: 'Undefined symbols', ko: '정의되지 않은 심벌이 있습니다' },
  undefined_symbols_for: { en: 'Undefined symbols for {arch}', ko: '{arch}용으로 정의되지 않은 심벌이 있습니다' },
  undefined_symbol: { en: 'Undefined symbol {symbol}', ko: '정의되지 않은 심벌: {symbol}' },
  undefined_symbol_for: { en: 'Undefined symbol {symbol} for {arch}', ko: '정의되지 않은 심벌({arch}): {symbol}' },
  duplicate_symbol: { en: 'Duplicate symbol {symbol}', ko: '중복된 심벌: {symbol}' },
  gradle_failed: { en: 'Gradle: the build failed.', ko: 'Gradle 빌드가 실패했습니다.' },
  program_panicked: { en: 'The program panicked.', ko: '프로그램이 패닉으로 종료되었습니다.' },
  program_panicked_at: { en: 'The program panicked: {detail}', ko: '프로그램이 패닉으로 종료되었습니다: {detail}' },
  signing_key_unusable: {
    en: 'codesign could not use the signing key ({message}).',
    ko: 'codesign이 서명 키를 사용할 수 없습니다({message}).',
  },
  notarization_ended: {
    en: 'Notarization ended with the status {status}.',
    ko: '공증이 끝났지만 승인되지 않았습니다(상태: {status}).',
  },
  tests_failed: { en: 'Tests failed.', ko: '테스트가 실패했습니다.' },
  tests_failed_in: { en: 'Tests in {group} failed.', ko: '테스트 실패: {group}' },
  test_failed: { en: '{test} failed.', ko: '실패: {test}' },
  test_panicked: { en: '{test}: panicked', ko: '패닉으로 종료됨: {test}' },
  testing_failed: { en: 'Testing failed.', ko: '테스트가 실패했습니다.' },
  testing_failed_at: { en: 'Testing failed: {detail}', ko: '테스트가 실패했습니다: {detail}' },
  test_process_crashed: {
    en: 'The test process crashed with signal {signal}.',
    ko: '테스트 프로세스가 비정상 종료되었습니다(시그널 {signal}).',
  },
  test_process_ended: {
    en: 'The test process ended or hung.',
    ko: '테스트 프로세스가 종료되었거나 응답하지 않습니다.',
  },
  test_process_ended_in: {
    en: 'The test process ended or hung in {test}.',
    ko: '테스트 프로세스가 종료되었거나 응답하지 않습니다: {test}',
  },
});

/** @example failureCause('test_failed', { test: 'CartTests.testTotal' }) */
export const failureCause = messagesOf(failureCauses);
