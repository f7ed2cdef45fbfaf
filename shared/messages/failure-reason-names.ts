// A sentence for each reason code of a failed build, for failures whose summary is the output of a tool.
import { sentences } from './message.js';

export const failureReasonNames = sentences({
  compile_error: { en: 'There is a compile error.', ko: '컴파일 오류가 발생했습니다.' },
  link_error: { en: 'Linking failed.', ko: '링크 오류가 발생했습니다.' },
  test_failure: { en: 'Tests failed.', ko: '테스트가 실패했습니다.' },
  test_crash: { en: 'The test process crashed.', ko: '테스트 프로세스가 비정상 종료되었습니다.' },
  script_failed: { en: 'The script failed.', ko: '스크립트가 실패했습니다.' },
  command_not_found: {
    en: 'A command of the script was not found.',
    ko: '스크립트의 명령을 찾을 수 없습니다.',
  },
  not_executable: {
    en: 'The script, or a command in it, cannot be executed.',
    ko: '스크립트 또는 스크립트의 명령을 실행할 수 없습니다.',
  },
  xcodebuild_failed: { en: 'xcodebuild failed.', ko: 'xcodebuild가 실패했습니다.' },
  signing_error: { en: 'Code signing failed.', ko: '코드 서명에 실패했습니다.' },
  store_rejected: {
    en: 'App Store Connect or the notary service refused the upload.',
    ko: 'App Store Connect 또는 공증 서비스가 거부했습니다.',
  },
  package_resolution_failed: {
    en: 'The package dependencies could not be resolved.',
    ko: '패키지 의존성을 해석하지 못했습니다.',
  },
  cocoapods_failed: { en: 'CocoaPods failed.', ko: 'CocoaPods가 실패했습니다.' },
  scheme_or_destination_not_found: {
    en: 'The scheme or destination was not found.',
    ko: '스킴이나 대상을 찾을 수 없습니다.',
  },
  timeout: {
    en: 'The build ran longer than its limit and was stopped.',
    ko: '제한 시간을 넘어 중단되었습니다.',
  },
  disk_full: { en: 'The build filled the disk.', ko: '빌드가 디스크를 가득 채웠습니다.' },
  clone_failed: { en: 'The repository could not be cloned.', ko: '저장소를 복제하지 못했습니다.' },
  commit_not_found: {
    en: 'The commit, branch or tag was not found.',
    ko: '커밋, 브랜치 또는 태그를 찾을 수 없습니다.',
  },
  environment_too_large: { en: 'The environment is too large.', ko: '환경 변수가 너무 큽니다.' },
  host_lost: {
    en: 'The host of this build was lost.',
    ko: '빌드를 실행하던 호스트와 연결이 끊겼습니다.',
  },
  mac_lost: {
    en: 'The Mac of this build was lost.',
    ko: '빌드를 실행하던 Mac을 사용할 수 없게 되었습니다.',
  },
  workspace_failed: {
    en: 'The work folder on the Mac could not be prepared.',
    ko: 'Mac에서 작업 폴더를 준비하지 못했습니다.',
  },
  xcode_missing: { en: 'The Mac lacks the Xcode version.', ko: 'Mac에 필요한 Xcode가 없습니다.' },
  host_disk_full: { en: 'The disk of the host is full.', ko: '호스트의 디스크가 가득 찼습니다.' },
  source_unavailable: {
    en: 'The sources of the build are no longer available.',
    ko: '빌드의 소스를 더 이상 사용할 수 없습니다.',
  },
  secret_unreadable: { en: 'A secret cannot be read.', ko: '시크릿을 읽을 수 없습니다.' },
  build_folder_changed: {
    en: 'The script changed files of the host agent.',
    ko: '스크립트가 호스트 에이전트의 파일을 변경했습니다.',
  },
  log_lost: {
    en: 'The end of the log was lost, so the cause is not known.',
    ko: '로그의 끝부분이 유실되어 실패 원인을 알 수 없습니다.',
  },
  internal_error: {
    en: 'The build failed because of an internal error of the service.',
    ko: '서비스 내부 오류로 빌드가 실패했습니다.',
  },
  killed: { en: 'The system killed a process.', ko: '시스템이 프로세스를 강제 종료했습니다.' },
  compiler_crash: { en: 'The compiler crashed.', ko: '컴파일러가 비정상 종료되었습니다.' },
  network_error: {
    en: 'Another server could not be reached.',
    ko: '다른 서버에 연결하지 못했습니다.',
  },
});
