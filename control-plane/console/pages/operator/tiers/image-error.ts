// Why an image is not on a host, in languages that the API does not speak, by the API's text. What the tools of a host say
// stays as it is.
import type { Language } from '../../../../../shared/language.js';
import { byText, type TextRow } from '../../../words/by-text.js';

const rows: readonly TextRow[] = [
  [/^The host has been removed\.$/, () => '제거된 호스트입니다.'],
  [/^The host does not belong to the tier (.+)\.$/, (tier) => `이 등급의 호스트가 아닙니다: ${tier}`],
  [/^The tier has no image any more\.$/, () => '등급에 더 이상 이미지가 없습니다.'],
  [/^The host gave no reason\.$/, () => '호스트가 이유를 알리지 않았습니다.'],
  [
    /^The host has reported no progress for (\d+) minutes?\.$/,
    (n) => `호스트가 ${n}분 동안 진행 상황을 알리지 않았습니다.`,
  ],
  [
    /^no room for another (?:image|virtual machine): (.+) of disk space are missing$/,
    (size) => `디스크 공간이 ${size} 부족합니다`,
  ],
  [/^(.+) is not an image of a registry$/, (ref) => `레지스트리의 이미지가 아닙니다: ${ref}`],
  [
    /^lume takes images as REGISTRY\/OWNER\/NAME:TAG \(got (.+)\)$/,
    (ref) => `lume의 이미지 형식은 REGISTRY/OWNER/NAME:TAG입니다(입력값: ${ref})`,
  ],
  [
    /^(.+) was fetched, but is not in the cache \(got (.+)\)$/,
    (name, found) => `${name} 이미지를 받았지만 캐시에 없습니다(받은 다이제스트: ${found})`,
  ],
  [
    /^(.+) is now (.+), and the tier recorded (.+); lume cannot fetch .+$/,
    (ref, found, wanted) =>
      `${ref} 이미지가 바뀌었습니다(현재 ${found}, 등급에 기록된 값 ${wanted}). lume은 다이제스트로 이미지를 받을 수 없습니다. 새 이미지를 쓰려면 등급의 이미지를 다시 설정하거나 이미지마다 다른 태그를 사용하세요.`,
  ],
  [
    /^(.+) did not end within (\d+) s$/,
    (command, seconds) => `명령이 ${seconds}초 안에 끝나지 않았습니다: ${command}`,
  ],
  [/^(.+) cannot be run: (.+)$/, (file, why) => `실행할 수 없습니다: ${file} (${why})`],
  [
    /^the image's user (.+) cannot use sudo without a password$/,
    (user) => `이미지의 사용자 ${user} 계정이 암호 없이 sudo를 사용할 수 없습니다`,
  ],
  [
    /^the image has no Perl in \/usr\/bin\/perl, which runs builds in it$/,
    () => '이미지에 빌드를 실행하는 데 필요한 /usr/bin/perl이 없습니다',
  ],
  [
    /^the image's Perl is too old: (.+) is needed$/,
    (version) => `이미지의 Perl이 너무 오래되었습니다. ${version} 이상이 필요합니다`,
  ],
  [/^the image's user must not be root$/, () => '이미지의 사용자는 root일 수 없습니다'],
  [
    /^the session of the image's user has no valid name or home folder$/,
    () => '이미지 사용자의 이름이나 홈 폴더가 올바르지 않습니다',
  ],
];

export const imageError = (text: string, language: Language): string => byText(rows, text, language);
