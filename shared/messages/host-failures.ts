// Why a host could not run a build to its end.
import { type ArgumentsOf, type Message, message, plain, sentence } from './message.js';

const onlyReason = { reason: 'text' } as const;
const onlyRef = { ref: 'text' } as const;
const onlyCommit = { commit: 'text' } as const;
const ofRepository = { url: 'text', reason: 'text' } as const;
const ofCodeHost = { host: 'text', reason: 'text' } as const;

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

export const hostFailures = {
  host_disk_full: plain({
    en: 'The disk of the host is full. The build can be run again unchanged, later.',
    ko: '호스트의 디스크가 가득 찼습니다. 나중에 같은 빌드를 다시 실행할 수 있습니다.',
  }),
  host_disk_full_for_sources: plain({
    en: 'The disk of the host is full, so the sources could not be written.',
    ko: '호스트의 디스크가 가득 차서 소스를 쓸 수 없습니다.',
  }),
  host_could_not_run: sentence(onlyReason, {
    en: ({ reason }) => `The host could not run the build: ${reason}`,
    ko: ({ reason }) => `호스트가 빌드를 실행하지 못했습니다: ${reason}`,
  }),
  host_could_not_start: plain({
    en: 'The host could not start the build.',
    ko: '호스트가 빌드를 시작하지 못했습니다.',
  }),
  process_exited_early: plain({
    en: 'The build could not be started: its process exited before taking it over.',
    ko: '빌드를 시작하지 못했습니다. 빌드의 프로세스가 빌드를 넘겨받기 전에 종료되었습니다.',
  }),
  process_did_not_answer: sentence(
    { ms: 'number' },
    {
      en: ({ ms }) => `The build could not be started: its process did not answer within ${ms} ms.`,
      ko: ({ ms }) => `빌드를 시작하지 못했습니다. 빌드의 프로세스가 ${ms}밀리초 안에 응답하지 않았습니다.`,
    },
  ),
  host_shut_down: plain({
    en: 'The host was shut down while the build ran. The build can be run again unchanged.',
    ko: '빌드 실행 중에 호스트가 종료되었습니다. 같은 빌드를 다시 실행할 수 있습니다.',
  }),
  vm_lost: sentence(onlyReason, {
    en: ({ reason }) => `The virtual machine of this build was lost: ${reason}. The build can be run again unchanged.`,
    ko: ({ reason }) => `빌드의 가상 머신을 잃었습니다: ${reason}. 같은 빌드를 다시 실행할 수 있습니다.`,
  }),
  vm_does_not_answer: sentence(onlyReason, {
    en: ({ reason }) =>
      `The virtual machine of this build does not answer: ${reason}. The build can be run again unchanged.`,
    ko: ({ reason }) => `빌드의 가상 머신이 응답하지 않습니다: ${reason}. 같은 빌드를 다시 실행할 수 있습니다.`,
  }),
  mac_disk_full: plain({
    en: 'The disk of the Mac is full, so the build could not be prepared. Delete what earlier builds left, or reset the Mac.',
    ko: 'Mac의 디스크가 가득 차서 빌드를 준비하지 못했습니다. 이전 빌드가 남긴 파일을 지우거나 Mac을 초기화하세요.',
  }),
  folders_not_prepared: sentence(onlyReason, {
    en: ({ reason }) => `The folders of the Mac could not be prepared: ${reason}.`,
    ko: ({ reason }) => `Mac의 폴더를 준비하지 못했습니다: ${reason}`,
  }),
  work_folder_not_prepared: sentence(onlyReason, {
    en: ({ reason }) => `The work folder could not be prepared: ${reason}.`,
    ko: ({ reason }) => `작업 폴더를 준비하지 못했습니다: ${reason}`,
  }),
  build_folder_changed: sentence(
    { file: 'text' },
    {
      en: ({ file }) =>
        `The folder in which the host keeps this build was changed while the build ran (${file}). Builds must not change files of the host agent.`,
      ko: ({ file }) =>
        `빌드 실행 중에 호스트가 이 빌드를 보관하는 폴더가 변경되었습니다(${file}). 빌드는 호스트 에이전트의 파일을 변경하면 안 됩니다.`,
    },
  ),
  xcode_missing: sentence(
    { xcode: 'text' },
    {
      en: ({ xcode }) => `Xcode ${xcode} is not installed on the host that was to run this build.`,
      ko: ({ xcode }) => `빌드를 실행할 호스트에 Xcode ${xcode} 버전이 없습니다.`,
    },
  ),
  environment_too_large: sentence(
    { bytes: 'number' },
    {
      en: ({ bytes }) =>
        `The script could not be started: its environment is too large for the operating system. The secrets of the account take ${bytes} bytes of it. Remove or shorten some.`,
      ko: ({ bytes }) =>
        `환경 변수가 운영체제의 한도보다 커서 스크립트를 시작하지 못했습니다. 계정의 시크릿이 ${bytes}바이트입니다. 일부를 삭제하거나 줄이세요.`,
    },
  ),
  environment_too_large_by: sentence(
    { bytes: 'number', largest: 'text' },
    {
      en: ({ bytes, largest }) =>
        `The script could not be started: its environment is too large for the operating system. The secrets of the account take ${bytes} bytes of it. The largest are ${largest}. Remove or shorten some.`,
      ko: ({ bytes, largest }) =>
        `환경 변수가 운영체제의 한도보다 커서 스크립트를 시작하지 못했습니다. 계정의 시크릿이 ${bytes}바이트입니다. 가장 큰 시크릿: ${largest}. 일부를 삭제하거나 줄이세요.`,
    },
  ),

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
  upload_not_fetched: plain({
    en: 'The uploaded files could not be fetched from the service.',
    ko: '서비스에서 업로드된 파일을 받지 못했습니다.',
  }),
  upload_damaged: sentence(onlyReason, {
    en: ({ reason }) => `A part of the uploaded files is lost or damaged at the service: ${reason}. Ask its operator.`,
    ko: ({ reason }) =>
      `업로드된 파일의 일부가 서비스에서 유실되었거나 손상되었습니다: ${reason}. 운영자에게 문의하세요.`,
  }),
  sources_not_provided: sentence(onlyReason, {
    en: ({ reason }) => `The service does not provide the build's sources (${reason}).`,
    ko: ({ reason }) => `서비스가 빌드의 소스를 제공하지 않습니다(${reason}).`,
  }),
  too_many_submodules: sentence(
    { submodules: 'number', levels: 'number' },
    {
      en: ({ submodules, levels }) =>
        `The repository has more than ${submodules} submodules, or more than ${levels} levels of them.`,
      ko: ({ submodules, levels }) => `저장소의 서브모듈이 ${submodules}개보다 많거나 ${levels}단계보다 깊습니다.`,
    },
  ),
  address_not_allowed: sentence(
    { url: 'text' },
    {
      en: ({ url }) =>
        `The repository address ${url} is not allowed: it must be an https URL without user, password, query or fragment.`,
      ko: ({ url }) =>
        `사용할 수 없는 저장소 주소입니다: ${url}. 사용자, 비밀번호, 쿼리, 프래그먼트가 없는 https URL이어야 합니다.`,
    },
  ),
  token_not_text: plain({
    en: 'The secret GIT_TOKEN holds line breaks or control characters, so it cannot be a token.',
    ko: '시크릿 GIT_TOKEN에 줄바꿈이나 제어 문자가 있어 토큰으로 사용할 수 없습니다.',
  }),
  git_missing: plain({ en: 'git is not installed on this host.', ko: '호스트에 git이 없습니다.' }),
  repository_unreadable: sentence(ofRepository, {
    en: ({ url, reason }) =>
      `The repository ${url} cannot be read (${reason}). Check the address; a private repository needs the secret GIT_TOKEN.`,
    ko: ({ url, reason }) =>
      `저장소를 읽을 수 없습니다: ${url} (${reason}). 주소를 확인하세요. 비공개 저장소에는 GIT_TOKEN 시크릿이 필요합니다.`,
  }),
  repository_unreadable_with_token: sentence(ofRepository, {
    en: ({ url, reason }) =>
      `The repository ${url} cannot be read (${reason}). Check the address, and that the secret GIT_TOKEN may read the repository.`,
    ko: ({ url, reason }) =>
      `저장소를 읽을 수 없습니다: ${url} (${reason}). 주소와 GIT_TOKEN 시크릿의 읽기 권한을 확인하세요.`,
  }),
  repository_not_cloned: sentence(ofRepository, {
    en: ({ url, reason }) => `The repository ${url} could not be cloned (${reason}).`,
    ko: ({ url, reason }) => `저장소를 복제하지 못했습니다: ${url} (${reason})`,
  }),
  repository_without_ref: sentence(ofRepository, {
    en: ({ url, reason }) => `The repository ${url} does not have the requested ref (${reason}).`,
    ko: ({ url, reason }) => `저장소에 요청한 ref가 없습니다: ${url} (${reason})`,
  }),
  code_host_unreachable: sentence(ofCodeHost, {
    en: ({ host, reason }) =>
      `The code host ${host} could not be reached (${reason}). Build again later, or send the source as an upload instead.`,
    ko: ({ host, reason }) =>
      `코드 호스트 ${host}에 연결하지 못했습니다(${reason}). 나중에 다시 빌드하거나 소스를 업로드하세요.`,
  }),
  code_host_failed: sentence(ofCodeHost, {
    en: ({ host, reason }) =>
      `The code host ${host} failed while the repository was fetched (${reason}). Build again later, or send the source as an upload instead.`,
    ko: ({ host, reason }) =>
      `저장소를 받는 중에 코드 호스트 ${host}에서 오류가 발생했습니다(${reason}). 나중에 다시 빌드하거나 소스를 업로드하세요.`,
  }),
  code_host_not_trusted: sentence(
    { origin: 'text', reason: 'text' },
    {
      en: ({ origin, reason }) =>
        `The build host does not trust the certificate of ${origin} (${reason}). Its operator can name the certificate authority: ca_file in agent.json.`,
      ko: ({ origin, reason }) =>
        `빌드 호스트가 ${origin}의 인증서를 신뢰하지 않습니다(${reason}). 운영자가 agent.json의 ca_file에 인증 기관을 지정할 수 있습니다.`,
    },
  ),
  repository_empty: plain({ en: 'The repository is empty.', ko: '저장소가 비어 있습니다.' }),
  no_branch_or_tag: sentence(onlyRef, {
    en: ({ ref }) => `The repository has no branch or tag ${ref}.`,
    ko: ({ ref }) => `저장소에 브랜치나 태그가 없습니다: ${ref}`,
  }),
  no_pull_request: sentence(
    { pr: 'number' },
    {
      en: ({ pr }) =>
        `The repository has no ref for pull request ${pr}; if the code host makes none (bitbucket.org does not), name the branch or the commit.`,
      ko: ({ pr }) =>
        `저장소에 풀 리퀘스트 ${pr}의 ref가 없습니다. 코드 호스트가 만들지 않으면(예: bitbucket.org) 브랜치나 커밋을 지정하세요.`,
    },
  ),
  no_commit: sentence(onlyCommit, {
    en: ({ commit }) => `The repository has no commit ${commit}.`,
    ko: ({ commit }) => `저장소에 커밋이 없습니다: ${commit}`,
  }),
  ambiguous_commit: sentence(onlyCommit, {
    en: ({ commit }) => `More than one commit begins with ${commit}; give more of its digits.`,
    ko: ({ commit }) => `${commit}(으)로 시작하는 커밋이 여러 개입니다. 더 긴 커밋 ID를 지정하세요.`,
  }),
  not_a_commit: sentence(onlyRef, {
    en: ({ ref }) => `${ref} is not a commit.`,
    ko: ({ ref }) => `커밋이 아닙니다: ${ref}`,
  }),
  not_a_commit_id: sentence(
    { commit: 'text', least: 'number', most: 'number' },
    {
      en: ({ commit, least, most }) =>
        `${commit} is not a commit id: it must have ${least} to ${most} hexadecimal digits.`,
      ko: ({ commit, least, most }) => `커밋 ID가 아닙니다: ${commit}. 16진수 ${least}~${most}자리여야 합니다.`,
    },
  ),
  not_a_ref_name: sentence(onlyRef, {
    en: ({ ref }) => `${ref} is not a valid ref name.`,
    ko: ({ ref }) => `올바른 ref 이름이 아닙니다: ${ref}`,
  }),
};

type Codes = typeof hostFailures;

/** @example hostFailure('xcode_missing', { xcode: '26.1' }) */
export const hostFailure = <C extends keyof Codes>(code: C, ...params: ArgumentsOf<Codes, C>): Message =>
  message(hostFailures, code, ...params);
