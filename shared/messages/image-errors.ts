// Why an image is not on a host, or not fit for Macs. What tools of the host say stays as it is.
import { countOf } from '../count.js';
import { type ArgumentsOf, type Message, message, plain, sentence } from './message.js';

const onlyImage = { image: 'text' } as const;
const onlySize = { size: 'text' } as const;

export const imageErrors = {
  host_removed: plain({ en: 'The host has been removed.', ko: '제거된 호스트입니다.' }),
  host_of_other_tier: sentence(
    { tier: 'text' },
    {
      en: ({ tier }) => `The host does not belong to the tier ${tier}.`,
      ko: ({ tier }) => `이 등급의 호스트가 아닙니다: ${tier}`,
    },
  ),
  tier_without_image: plain({
    en: 'The tier has no image any more.',
    ko: '등급에 더 이상 이미지가 없습니다.',
  }),
  no_reason: plain({ en: 'The host gave no reason.', ko: '호스트가 이유를 알리지 않았습니다.' }),
  no_progress: sentence(
    { minutes: 'number' },
    {
      en: ({ minutes }) => `The host has reported no progress for ${countOf(minutes, 'minute')}.`,
      ko: ({ minutes }) => `호스트가 ${minutes}분 동안 진행 상황을 알리지 않았습니다.`,
    },
  ),

  // By the host.
  no_room_for_image: sentence(onlySize, {
    en: ({ size }) => `no room for another image: ${size} of disk space are missing`,
    ko: ({ size }) => `이미지를 받을 디스크 공간이 ${size} 부족합니다`,
  }),
  no_room_for_vm: sentence(onlySize, {
    en: ({ size }) => `no room for another virtual machine: ${size} of disk space are missing`,
    ko: ({ size }) => `가상 머신을 만들 디스크 공간이 ${size} 부족합니다`,
  }),
  not_of_a_registry: sentence(onlyImage, {
    en: ({ image }) => `${image} is not an image of a registry`,
    ko: ({ image }) => `레지스트리의 이미지가 아닙니다: ${image}`,
  }),
  not_for_lume: sentence(onlyImage, {
    en: ({ image }) => `lume takes images as REGISTRY/OWNER/NAME:TAG (got ${image})`,
    ko: ({ image }) => `lume의 이미지 형식은 REGISTRY/OWNER/NAME:TAG입니다(입력값: ${image})`,
  }),
  not_in_cache: sentence(
    { image: 'text', digest: 'text' },
    {
      en: ({ image, digest }) => `${image} was fetched, but is not in the cache (got ${digest})`,
      ko: ({ image, digest }) => `${image} 이미지를 받았지만 캐시에 없습니다(받은 다이제스트: ${digest})`,
    },
  ),
  tag_moved: sentence(
    { image: 'text', found: 'text', wanted: 'text' },
    {
      en: ({ image, found, wanted }) =>
        `${image} is now ${found}, and the tier recorded ${wanted}; lume cannot fetch an image by its digest. Set the image of the tier again to take the new one, or give every image a tag of its own.`,
      ko: ({ image, found, wanted }) =>
        `${image} 이미지가 바뀌었습니다(현재 ${found}, 등급에 기록된 값 ${wanted}). lume은 다이제스트로 이미지를 받을 수 없습니다. 새 이미지를 쓰려면 등급의 이미지를 다시 설정하거나 이미지마다 다른 태그를 사용하세요.`,
    },
  ),
  command_too_slow: sentence(
    { command: 'text', seconds: 'number' },
    {
      en: ({ command, seconds }) => `${command} did not end within ${seconds} s`,
      ko: ({ command, seconds }) => `명령이 ${seconds}초 안에 끝나지 않았습니다: ${command}`,
    },
  ),
  cannot_be_run: sentence(
    { file: 'text', reason: 'text' },
    {
      en: ({ file, reason }) => `${file} cannot be run: ${reason}`,
      ko: ({ file, reason }) => `실행할 수 없습니다: ${file} (${reason})`,
    },
  ),
  no_sudo: sentence(
    { user: 'text' },
    {
      en: ({ user }) => `the image's user ${user} cannot use sudo without a password`,
      ko: ({ user }) => `이미지의 사용자 ${user} 계정이 암호 없이 sudo를 사용할 수 없습니다`,
    },
  ),
  no_perl: plain({
    en: 'the image has no Perl in /usr/bin/perl, which runs builds in it',
    ko: '이미지에 빌드를 실행하는 데 필요한 /usr/bin/perl이 없습니다',
  }),
  perl_too_old: sentence(
    { version: 'text' },
    {
      en: ({ version }) => `the image's Perl is too old: ${version} is needed`,
      ko: ({ version }) => `이미지의 Perl이 너무 오래되었습니다. ${version} 이상이 필요합니다`,
    },
  ),
  no_macos: plain({ en: 'the image does not contain macOS', ko: '이미지에 macOS가 없습니다' }),
  user_is_root: plain({
    en: "the image's user must not be root",
    ko: '이미지의 사용자는 root일 수 없습니다',
  }),
  user_without_home: plain({
    en: "the session of the image's user has no valid name or home folder",
    ko: '이미지 사용자의 이름이나 홈 폴더가 올바르지 않습니다',
  }),
};

type Codes = typeof imageErrors;

/** @example imageError('no_room_for_image', { size: '12.0 GB' }) */
export const imageError = <C extends keyof Codes>(code: C, ...params: ArgumentsOf<Codes, C>): Message =>
  message(imageErrors, code, ...params);
