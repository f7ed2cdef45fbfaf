// Warnings of a build in languages that the API does not speak, by the API's text.
import type { Language } from '../../../shared/language.js';
import { byText, koreanByText, type TextRow } from '../words/by-text.js';

const reasons: readonly TextRow[] = [
  [
    /^they belong to version control \(/,
    () => '버전 관리 시스템의 파일(.git 등)은 아티팩트에 담을 수 없습니다',
  ],
  [/^they are symbolic links that do not lead /, () => '폴더 안의 파일을 가리키지 않는 심볼릭 링크입니다'],
  [/^they are symbolic links that lead out /, () => '번들 밖을 가리키는 심볼릭 링크입니다'],
  [/^their names cannot be told apart /, () => 'Mac에서 이름을 구분할 수 없거나 이름이 너무 깁니다'],
  [/^they are neither files nor folders/, () => '파일이나 폴더가 아니거나 너무 깊은 곳에 있습니다'],
];

const rows: readonly TextRow[] = [
  [
    /^The script begins with a byte order mark: its first line \(#!\) does not count, and its first command is not found\.$/,
    () => '스크립트가 바이트 순서 표식(BOM)으로 시작합니다. 첫 줄(#!)이 무시되고 첫 명령을 찾지 못합니다.',
  ],
  [
    /^Lines of the script end in CR LF: the shell takes the CR for a part of their last words\.$/,
    () => '스크립트의 줄이 CR LF로 끝납니다. 셸이 CR을 줄의 마지막 단어의 일부로 읽습니다.',
  ],
  [
    /^Left out of the artifacts: (.+?)(?: and (\d+) more)?, because (.+)\.$/,
    (names = '', more = '', why = '') =>
      `아티팩트에서 제외됨: ${names}${more === '' ? '' : ` 외 ${more}개`}. ${koreanByText(reasons, why) ?? why}.`,
  ],
  [
    /^No artifacts were kept: the build replaced /,
    () =>
      '아티팩트가 저장되지 않았습니다. 빌드가 $CIDERMILL_ARTIFACTS 폴더를 링크나 파일로 바꾸었습니다. 이 폴더 안에 파일을 만드세요.',
  ],
  [
    /^The artifact (.+) holds the value of the secret (.+)\.$/,
    (name, secret) => `아티팩트에 시크릿 값이 들어 있습니다: ${name} (시크릿 ${secret})`,
  ],
  [
    /^(\d+) more artifacts hold values of secrets\.$/,
    (count) => `그 밖에 ${count}개의 아티팩트에 시크릿 값이 들어 있습니다.`,
  ],
  [
    /^(\d+) of (\d+) artifacts? (?:was|were) left out: a build may keep (\d+) files and (\d+) bytes\.$/,
    (part, all, files, bytes) =>
      `아티팩트 ${all}개 중 ${part}개가 제외되었습니다. 빌드 하나에 파일 ${files}개, ${bytes}바이트까지 저장할 수 있습니다.`,
  ],
  [
    /^(\d+) of (\d+) artifacts? (?:was|were) not collected: the build was stopped\.$/,
    (part, all) => `빌드가 중단되어 아티팩트 ${all}개 중 ${part}개를 수집하지 못했습니다.`,
  ],
  [
    /^Artifacts were left out: there were too many /,
    () => '파일이 너무 많아 일부 아티팩트가 제외되었습니다.',
  ],
  [/^The artifacts could not be collected: (.+)$/, (why) => `아티팩트를 수집하지 못했습니다: ${why}`],
  [
    /^(\d+) process(?:es)? of this build could not be ended\.$/,
    (count) => `이 빌드의 프로세스 ${count}개를 종료하지 못했습니다.`,
  ],
  [
    /^The submodule (.+) is empty: \.gitmodules gives no address for it\.$/,
    (path) => `서브모듈이 비어 있습니다: ${path}. .gitmodules에 주소가 없습니다.`,
  ],
  [
    /^The submodule (.+) is empty: (.+) is not on the server of the repository, or not an https or ssh address\.$/,
    (path, url) =>
      `서브모듈이 비어 있습니다: ${path}. 저장소와 같은 서버의 https 또는 ssh 주소만 사용할 수 있습니다(${url}).`,
  ],
  [
    /^The repository keeps files in Git LFS, .+: run `git lfs pull` in the script\.$/,
    () =>
      '저장소가 Git LFS를 사용하며 작업 폴더에는 포인터만 있습니다. 스크립트에서 `git lfs pull`을 실행하세요.',
  ],
  [
    /^The repository keeps files in Git LFS, .+: Git LFS is not installed on the host\.$/,
    () => '저장소가 Git LFS를 사용하며 작업 폴더에는 포인터만 있습니다. 호스트에 Git LFS가 없습니다.',
  ],
  [
    /^The submodule (.+) keeps files in Git LFS, .+: run `git lfs pull` in the script\.$/,
    (path) =>
      `서브모듈이 Git LFS를 사용하며 작업 폴더에는 포인터만 있습니다: ${path}. 스크립트에서 \`git lfs pull\`을 실행하세요.`,
  ],
  [
    /^The submodule (.+) keeps files in Git LFS, .+: Git LFS is not installed on the host\.$/,
    (path) =>
      `서브모듈이 Git LFS를 사용하며 작업 폴더에는 포인터만 있습니다: ${path}. 호스트에 Git LFS가 없습니다.`,
  ],
  [/^The end of the log was lost\.$/, () => '로그의 끝부분이 유실되었습니다.'],
  [
    /^The host did not confirm that the build has ended; /,
    () =>
      '호스트가 빌드의 종료를 확인하지 않았습니다. 확인되면 Mac이 다시 빌드를 받습니다. 로그가 불완전할 수 있습니다.',
  ],
  [/^The last output of the build may be missing\.$/, () => '빌드의 마지막 출력이 빠졌을 수 있습니다.'],
  [
    /^The log is limited to (\d+) bytes, because /,
    (bytes) =>
      `로그가 ${bytes}바이트로 제한되었습니다. 계정의 로그 저장 공간이나 서비스의 디스크가 거의 가득 찼습니다.`,
  ],
  [
    /^While the build ran, a reset of its Mac was asked for /,
    () => '빌드 실행 중에 Mac을 바로 초기화하도록 요청되었습니다(when: now).',
  ],
  [
    /^While the build ran, another Xcode was asked for /,
    () => '빌드 실행 중에 Mac의 Xcode를 바로 변경하도록 요청되었습니다(when: now).',
  ],
  [
    /^While the build ran, another setup of its Mac was asked for /,
    () => '빌드 실행 중에 Mac의 구성을 바로 변경하도록 요청되었습니다(when: now).',
  ],
  [/^(\d+) more warnings\.$/, (count) => `그 밖에 경고 ${count}개가 있습니다.`],
];

export const buildWarning = (text: string, language: Language): string => byText(rows, text, language);
