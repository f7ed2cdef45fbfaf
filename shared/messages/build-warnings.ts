// Warnings of a build, from the service and from hosts: problems that did not make the build fail.
import { countOf, partWas } from '../count.js';
import { type Message, messagesOf, sentence, sentences } from './message.js';

const leftOutBecause = {
  metadata: {
    en: 'artifacts must not contain files of version control (.git and the like)',
    ko: '버전 관리 시스템의 파일(.git 등)은 아티팩트에 담을 수 없습니다',
  },
  link: {
    en: 'they are symbolic links that do not point to a file inside the folder',
    ko: '폴더 안의 파일을 가리키지 않는 심볼릭 링크입니다',
  },
  bundleLink: {
    en: 'they are symbolic links that point out of their bundle',
    ko: '번들 밖을 가리키는 심볼릭 링크입니다',
  },
  name: {
    en: 'their names are too long, or a Mac cannot distinguish them from others',
    ko: 'Mac에서 이름을 구분할 수 없거나 이름이 너무 깁니다',
  },
  other: {
    en: 'they are neither files nor folders, or are nested too deeply',
    ko: '파일이나 폴더가 아니거나 너무 깊은 곳에 있습니다',
  },
} as const;

export type LeftOutReason = keyof typeof leftOutBecause;
const leftOutReasons = ['metadata', 'link', 'bundleLink', 'name', 'other'] as const satisfies LeftOutReason[];

const LFS = 'keeps files in Git LFS, and the work folder has only their pointers';
const LFS_KO = 'Git LFS를 사용하며 작업 폴더에는 포인터만 있습니다';

export const buildWarnings = sentences({
  script_byte_order_mark: {
    en: 'The script begins with a byte order mark: its first line (#!) does not count, and its first command is not found.',
    ko: '스크립트가 바이트 순서 표식(BOM)으로 시작합니다. 첫 줄(#!)이 무시되고 첫 명령을 찾지 못합니다.',
  },
  script_cr_lf: {
    en: 'Lines of the script end in CR LF: the shell reads the CR as part of the last word of each line.',
    ko: '스크립트의 줄이 CR LF로 끝납니다. 셸이 CR을 줄의 마지막 단어의 일부로 읽습니다.',
  },
  artifacts_left_out: sentence(
    { names: 'text', more: 'number', reason: leftOutReasons },
    {
      en: ({ names, more, reason }) =>
        `Left out of the artifacts: ${names}${more === 0 ? '' : ` and ${more} more`}, because ${leftOutBecause[reason].en}.`,
      ko: ({ names, more, reason }) =>
        `아티팩트에서 제외됨: ${names}${more === 0 ? '' : ` 외 ${more}개`}. ${leftOutBecause[reason].ko}.`,
    },
  ),
  artifacts_folder_replaced: {
    en: 'No artifacts were kept: the build replaced the folder $CIDERMILL_ARTIFACTS by a link or a file. Write files into the folder.',
    ko: '아티팩트가 저장되지 않았습니다. 빌드가 $CIDERMILL_ARTIFACTS 폴더를 링크나 파일로 바꾸었습니다. 이 폴더 안에 파일을 만드세요.',
  },
  artifact_holds_secret: {
    en: 'The artifact {name} contains the value of the secret {secret}.',
    ko: '아티팩트에 시크릿 값이 들어 있습니다: {name} (시크릿 {secret})',
  },
  more_artifacts_hold_secrets: {
    en: '{count, number} more artifacts contain values of secrets.',
    ko: '그 밖에 {count}개의 아티팩트에 시크릿 값이 들어 있습니다.',
  },
  artifacts_beyond_limit: sentence(
    { part: 'number', count: 'number', max_files: 'number', max_bytes: 'number' },
    {
      en: ({ part, count, max_files, max_bytes }) =>
        `${partWas(part, count, 'artifact')} left out: a build may keep at most ${max_files} files and ${max_bytes} bytes.`,
      ko: ({ part, count, max_files, max_bytes }) =>
        `아티팩트 ${count}개 중 ${part}개가 제외되었습니다. 빌드 하나에 파일 ${max_files}개, ${max_bytes}바이트까지 저장할 수 있습니다.`,
    },
  ),
  too_many_artifacts: {
    en: 'Artifacts were left out: there were too many files.',
    ko: '파일이 너무 많아 일부 아티팩트가 제외되었습니다.',
  },
  artifacts_not_collected: sentence(
    { part: 'number', count: 'number' },
    {
      en: ({ part, count }) => `${partWas(part, count, 'artifact')} not collected: the build was stopped.`,
      ko: ({ part, count }) => `빌드가 중단되어 아티팩트 ${count}개 중 ${part}개를 수집하지 못했습니다.`,
    },
  ),
  artifacts_failed: {
    en: 'The artifacts could not be collected: {reason}',
    ko: '아티팩트를 수집하지 못했습니다: {reason}',
  },
  artifact_not_stored: {
    en: 'The artifact {name} could not be stored: {reason}.',
    ko: '아티팩트를 저장하지 못했습니다: {name} ({reason})',
  },
  more_artifacts_not_stored: {
    en: '{count, number} more artifacts could not be stored.',
    ko: '그 밖에 {count}개의 아티팩트를 저장하지 못했습니다.',
  },
  artifacts_not_sent: sentence(
    { part: 'number', count: 'number' },
    {
      en: ({ part, count }) => `${partWas(part, count, 'artifact')} not sent: the build was stopped.`,
      ko: ({ part, count }) => `빌드가 중단되어 아티팩트 ${count}개 중 ${part}개를 전송하지 못했습니다.`,
    },
  ),
  processes_left: sentence(
    { count: 'number' },
    {
      en: ({ count }) => `${countOf(count, 'process', 'processes')} of this build could not be ended.`,
      ko: ({ count }) => `이 빌드의 프로세스 ${count}개를 종료하지 못했습니다.`,
    },
  ),
  processes_unknown: {
    en: 'Processes of this build may still run on its Mac: they could not be ended ({reason}).',
    ko: '이 빌드의 프로세스가 Mac에서 아직 실행 중일 수 있습니다. 종료하지 못했습니다({reason}).',
  },
  submodule_without_address: {
    en: 'The submodule {path} is empty: .gitmodules gives no address for it.',
    ko: '서브모듈이 비어 있습니다: {path}. .gitmodules에 주소가 없습니다.',
  },
  submodule_elsewhere: {
    en: 'The submodule {path} is empty: {url} is not on the server of the repository, or not an https or ssh address.',
    ko: '서브모듈이 비어 있습니다: {path}. 저장소와 같은 서버의 https 또는 ssh 주소만 사용할 수 있습니다({url}).',
  },
  lfs_pull: {
    en: `The repository ${LFS}: run \`git lfs pull\` in the script.`,
    ko: `저장소가 ${LFS_KO}. 스크립트에서 \`git lfs pull\`을 실행하세요.`,
  },
  lfs_missing: {
    en: `The repository ${LFS}: Git LFS is not installed on the host.`,
    ko: `저장소가 ${LFS_KO}. 호스트에 Git LFS가 없습니다.`,
  },
  submodule_lfs_pull: {
    en: `The submodule {path} ${LFS}: run \`git lfs pull\` in the script.`,
    ko: `서브모듈이 ${LFS_KO}: {path}. 스크립트에서 \`git lfs pull\`을 실행하세요.`,
  },
  submodule_lfs_missing: {
    en: `The submodule {path} ${LFS}: Git LFS is not installed on the host.`,
    ko: `서브모듈이 ${LFS_KO}: {path}. 호스트에 Git LFS가 없습니다.`,
  },
  log_end_lost: { en: 'The end of the log was lost.', ko: '로그의 끝부분이 유실되었습니다.' },
  end_not_confirmed: {
    en: 'The host did not confirm that the build has ended. Its Mac takes no builds until the host does. The log may be incomplete.',
    ko: '호스트가 빌드의 종료를 확인하지 않았습니다. 확인되면 Mac이 다시 빌드를 받습니다. 로그가 불완전할 수 있습니다.',
  },
  last_output_missing: {
    en: 'The last output of the build may be missing.',
    ko: '빌드의 마지막 출력이 빠졌을 수 있습니다.',
  },
  log_limited: {
    en: "The log is limited to {bytes, number} bytes, because the account's storage for logs or the disk of the service is nearly full.",
    ko: '로그가 {bytes}바이트로 제한되었습니다. 계정의 로그 저장 공간이나 서비스의 디스크가 거의 가득 찼습니다.',
  },
  stopped_for_reset: {
    en: 'While the build ran, a reset of its Mac was requested with when: now.',
    ko: '빌드 실행 중에 Mac을 바로 초기화하도록 요청되었습니다(when: now).',
  },
  stopped_for_xcode: {
    en: 'While the build ran, another Xcode was requested for its Mac with when: now.',
    ko: '빌드 실행 중에 Mac의 Xcode를 바로 변경하도록 요청되었습니다(when: now).',
  },
  stopped_for_setup: {
    en: 'While the build ran, another setup of its Mac was requested with when: now.',
    ko: '빌드 실행 중에 Mac의 구성을 바로 변경하도록 요청되었습니다(when: now).',
  },
  more_warnings: { en: '{count, number} more warnings.', ko: '그 밖에 경고 {count}개가 있습니다.' },
});

/** @example buildWarning('processes_left', { count: 2 }) */
export const buildWarning = messagesOf(buildWarnings);

/**
 * Returns the first warnings, and a message with the number of the others, because a build can cause any number of them.
 * Keeps the number of a list that was limited before.
 *
 * @example firstWarnings([a, b, c], 2) // [a, { code: 'more_warnings', params: { count: 2 }, … }]
 */
export function firstWarnings(warnings: readonly Message[], most: number): Message[] {
  if (warnings.length <= most) return [...warnings];
  const left = warnings.slice(most - 1);
  const last = left.at(-1);
  const counted = last?.code === 'more_warnings' ? Number(last.params.count ?? 1) : 1;
  return [...warnings.slice(0, most - 1), buildWarning('more_warnings', { count: left.length - 1 + counted })];
}
