// Why a host could not run a build to its end.
import { messagesOf, sentence, sentences } from './message.js';

/** What is wrong with a path of an upload. */
const refused = {
  not_allowed: { en: 'is not allowed', ko: '허용되지 않는 경로입니다' },
  wrong_size: { en: 'has a size that does not match its hash', ko: '크기가 해시와 맞지 않습니다' },
  leaves_folder: { en: 'is a link that leaves the folder', ko: '폴더 밖을 가리키는 링크입니다' },
  twice: { en: 'contains a path twice', ko: '같은 경로가 두 번 있습니다' },
  file_and_folder: { en: 'is both a file and a folder', ko: '파일이면서 폴더입니다' },
  too_long: { en: 'is too long', ko: '경로가 너무 깁니다' },
} as const;
export type RefusedPath = keyof typeof refused;

export const hostFailures = sentences({
  host_disk_full: {
    en: 'The disk of the host is full. The build can be run again unchanged, later.',
    ko: '호스트의 디스크가 가득 찼습니다. 나중에 같은 빌드를 다시 실행할 수 있습니다.',
  },
  host_disk_full_for_sources: {
    en: 'The disk of the host is full, so the sources could not be written.',
    ko: '호스트의 디스크가 가득 차서 소스를 쓸 수 없습니다.',
  },
  host_could_not_run: {
    en: 'The host could not run the build: {reason}',
    ko: '호스트가 빌드를 실행하지 못했습니다: {reason}',
  },
  host_could_not_start: {
    en: 'The host could not start the build.',
    ko: '호스트가 빌드를 시작하지 못했습니다.',
  },
  process_exited_early: {
    en: 'The build could not be started: its process exited before it took over the build.',
    ko: '빌드를 시작하지 못했습니다. 빌드의 프로세스가 빌드를 넘겨받기 전에 종료되었습니다.',
  },
  process_did_not_answer: {
    en: 'The build could not be started: its process did not answer within {ms, number} ms.',
    ko: '빌드를 시작하지 못했습니다. 빌드의 프로세스가 {ms}밀리초 안에 응답하지 않았습니다.',
  },
  host_shut_down: {
    en: 'The host was shut down while the build ran. The build can be run again unchanged.',
    ko: '빌드 실행 중에 호스트가 종료되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  },
  vm_lost: {
    en: 'The virtual machine of this build was lost: {reason}. The build can be run again unchanged.',
    ko: '빌드의 가상 머신을 더 이상 사용할 수 없습니다: {reason}. 같은 빌드를 다시 실행할 수 있습니다.',
  },
  vm_does_not_answer: {
    en: 'The virtual machine of this build does not answer: {reason}. The build can be run again unchanged.',
    ko: '빌드의 가상 머신이 응답하지 않습니다: {reason}. 같은 빌드를 다시 실행할 수 있습니다.',
  },
  mac_disk_full: {
    en: 'The disk of the Mac is full, so the build could not be prepared. Delete what earlier builds left, or reset the Mac.',
    ko: 'Mac의 디스크가 가득 차서 빌드를 준비하지 못했습니다. 이전 빌드가 남긴 파일을 지우거나 Mac을 초기화하세요.',
  },
  folders_not_prepared: {
    en: 'The folders of the Mac could not be prepared: {reason}.',
    ko: 'Mac의 폴더를 준비하지 못했습니다: {reason}',
  },
  work_folder_not_prepared: {
    en: 'The work folder could not be prepared: {reason}.',
    ko: '작업 폴더를 준비하지 못했습니다: {reason}',
  },
  build_folder_changed: {
    en: 'The folder in which the host keeps this build was changed while the build ran ({file}). Builds must not change files of the host agent.',
    ko: '빌드 실행 중에 호스트가 이 빌드를 보관하는 폴더가 변경되었습니다({file}). 빌드는 호스트 에이전트의 파일을 변경하면 안 됩니다.',
  },
  xcode_missing: {
    en: 'Xcode {xcode} is not installed on the host of this build.',
    ko: '빌드를 실행할 호스트에 Xcode {xcode} 버전이 없습니다.',
  },
  environment_too_large: {
    en: 'The script could not be started: its environment is too large for the operating system. The secrets of the account take {bytes, number} bytes of it. Remove or shorten some.',
    ko: '환경 변수가 운영체제의 한도보다 커서 스크립트를 시작하지 못했습니다. 계정의 시크릿이 {bytes}바이트입니다. 일부를 삭제하거나 줄이세요.',
  },
  environment_too_large_by: {
    en: 'The script could not be started: its environment is too large for the operating system. The secrets of the account take {bytes, number} bytes of it. The largest are {largest}. Remove or shorten some.',
    ko: '환경 변수가 운영체제의 한도보다 커서 스크립트를 시작하지 못했습니다. 계정의 시크릿이 {bytes}바이트입니다. 가장 큰 시크릿: {largest}. 일부를 삭제하거나 줄이세요.',
  },

  // The sources.
  upload_refused: sentence(
    {
      path: 'text',
      why: ['not_allowed', 'wrong_size', 'leaves_folder', 'twice', 'file_and_folder', 'too_long'],
    },
    {
      en: ({ path, why }) => `The list of the uploaded files is not valid: ${path} ${refused[why].en}.`,
      ko: ({ path, why }) => `업로드된 파일 목록이 올바르지 않습니다: ${path} (${refused[why].ko})`,
    },
  ),
  upload_not_fetched: {
    en: 'The uploaded files could not be fetched from the service.',
    ko: '서비스에서 업로드된 파일을 받지 못했습니다.',
  },
  upload_damaged: {
    en: 'A part of the uploaded files is lost or damaged at the service: {reason}. Ask its operator.',
    ko: '업로드된 파일의 일부가 서비스에서 유실되었거나 손상되었습니다: {reason}. 운영자에게 문의하세요.',
  },
  sources_not_provided: {
    en: "The service does not provide the build's sources ({reason}).",
    ko: '서비스가 빌드의 소스를 제공하지 않습니다({reason}).',
  },
  too_many_submodules: {
    en: 'The repository has more than {submodules, number} submodules, or more than {levels, number} levels of them.',
    ko: '저장소의 서브모듈이 {submodules}개보다 많거나 {levels}단계보다 깊습니다.',
  },
  address_not_allowed: {
    en: 'The repository address {url} is not allowed: it must be an https URL without user, password, query or fragment.',
    ko: '사용할 수 없는 저장소 주소입니다: {url}. 사용자, 비밀번호, 쿼리, 프래그먼트가 없는 https URL이어야 합니다.',
  },
  token_not_text: {
    en: 'The secret GIT_TOKEN holds line breaks or control characters, so it cannot be a token.',
    ko: '시크릿 GIT_TOKEN에 줄바꿈이나 제어 문자가 있어 토큰으로 사용할 수 없습니다.',
  },
  git_missing: { en: 'git is not installed on this host.', ko: '호스트에 git이 없습니다.' },
  repository_unreadable: {
    en: 'The repository {url} cannot be read ({reason}). Check the address; a private repository needs the secret GIT_TOKEN.',
    ko: '저장소를 읽을 수 없습니다: {url} ({reason}). 주소를 확인하세요. 비공개 저장소에는 GIT_TOKEN 시크릿이 필요합니다.',
  },
  repository_unreadable_with_token: {
    en: 'The repository {url} cannot be read ({reason}). Check the address, and that the secret GIT_TOKEN may read the repository.',
    ko: '저장소를 읽을 수 없습니다: {url} ({reason}). 주소와 GIT_TOKEN 시크릿의 읽기 권한을 확인하세요.',
  },
  repository_not_cloned: {
    en: 'The repository {url} could not be cloned ({reason}).',
    ko: '저장소를 복제하지 못했습니다: {url} ({reason})',
  },
  repository_without_ref: {
    en: 'The repository {url} does not have the requested ref ({reason}).',
    ko: '저장소에 요청한 ref가 없습니다: {url} ({reason})',
  },
  code_host_unreachable: {
    en: 'The code host {host} could not be reached ({reason}). Build again later, or send the source as an upload instead.',
    ko: '코드 호스트 {host}에 연결하지 못했습니다({reason}). 나중에 다시 빌드하거나 소스를 업로드하세요.',
  },
  code_host_failed: {
    en: 'The code host {host} failed while the repository was fetched ({reason}). Build again later, or send the source as an upload instead.',
    ko: '저장소를 받는 중에 코드 호스트 {host}에서 오류가 발생했습니다({reason}). 나중에 다시 빌드하거나 소스를 업로드하세요.',
  },
  code_host_not_trusted: {
    en: 'The build host does not trust the certificate of {origin} ({reason}). Its operator can name the certificate authority: ca_file in agent.json.',
    ko: '빌드 호스트가 {origin}의 인증서를 신뢰하지 않습니다({reason}). 운영자가 agent.json의 ca_file에 인증 기관을 지정할 수 있습니다.',
  },
  repository_empty: { en: 'The repository is empty.', ko: '저장소가 비어 있습니다.' },
  no_branch_or_tag: {
    en: 'The repository has no branch or tag {ref}.',
    ko: '저장소에 브랜치나 태그가 없습니다: {ref}',
  },
  no_pull_request: {
    en: 'The repository has no ref for pull request {pr, number}; if the code host makes none (bitbucket.org does not), name the branch or the commit.',
    ko: '저장소에 풀 리퀘스트 {pr}의 ref가 없습니다. 코드 호스트가 만들지 않으면(예: bitbucket.org) 브랜치나 커밋을 지정하세요.',
  },
  no_commit: { en: 'The repository has no commit {commit}.', ko: '저장소에 커밋이 없습니다: {commit}' },
  ambiguous_commit: {
    en: 'More than one commit begins with {commit}; give more of its digits.',
    ko: '시작 부분이 {commit}인 커밋이 여러 개입니다. 더 긴 커밋 ID를 지정하세요.',
  },
  not_a_commit: { en: '{ref} is not a commit.', ko: '커밋이 아닙니다: {ref}' },
  not_a_commit_id: {
    en: '{commit} is not a commit id: it must have {least, number} to {most, number} hexadecimal digits.',
    ko: '커밋 ID가 아닙니다: {commit}. 16진수 {least}~{most}자리여야 합니다.',
  },
  not_a_ref_name: { en: '{ref} is not a valid ref name.', ko: '올바른 ref 이름이 아닙니다: {ref}' },
});

/** @example hostFailure('xcode_missing', { xcode: '26.1' }) */
export const hostFailure = messagesOf(hostFailures);
