// Why a host does not have an image, or cannot use it for Macs. The output of its tools is not translated.
import { countOf } from '../count.js';
import { messagesOf, sentence, sentences } from './message.js';

export const imageErrors = sentences({
  host_removed: { en: 'The host has been removed.', ko: '제거된 호스트입니다.' },
  host_of_other_tier: { en: 'The host does not belong to the tier {tier}.', ko: '이 등급의 호스트가 아닙니다: {tier}' },
  tier_without_image: {
    en: 'The tier no longer has an image.',
    ko: '등급에 더 이상 이미지가 없습니다.',
  },
  no_reason: { en: 'The host gave no reason.', ko: '호스트가 이유를 알리지 않았습니다.' },
  no_progress: sentence(
    { minutes: 'number' },
    {
      en: ({ minutes }) => `The host has reported no progress for ${countOf(minutes, 'minute')}.`,
      ko: ({ minutes }) => `호스트가 ${minutes}분 동안 진행 상황을 알리지 않았습니다.`,
    },
  ),

  // By the host.
  no_room_for_image: {
    en: 'no room for another image: {size} more disk space is needed',
    ko: '이미지를 받을 디스크 공간이 {size} 부족합니다',
  },
  no_room_for_vm: {
    en: 'no room for another virtual machine: {size} more disk space is needed',
    ko: '가상 머신을 만들 디스크 공간이 {size} 부족합니다',
  },
  not_of_a_registry: { en: '{image} is not an image of a registry', ko: '레지스트리의 이미지가 아닙니다: {image}' },
  not_for_lume: {
    en: 'lume takes images as REGISTRY/OWNER/NAME:TAG (got {image})',
    ko: 'lume의 이미지 형식은 REGISTRY/OWNER/NAME:TAG입니다(입력값: {image})',
  },
  not_in_cache: {
    en: '{image} was fetched, but is not in the cache (got {digest})',
    ko: '{image} 이미지를 받았지만 캐시에 없습니다(받은 다이제스트: {digest})',
  },
  tag_moved: {
    en: '{image} is now {found}, and the tier recorded {wanted}; lume cannot fetch an image by its digest. Set the image of the tier again to take the new one, or give every image a tag of its own.',
    ko: '{image} 이미지가 바뀌었습니다(현재 {found}, 등급에 기록된 값 {wanted}). lume은 다이제스트로 이미지를 받을 수 없습니다. 새 이미지를 쓰려면 등급의 이미지를 다시 설정하거나 이미지마다 다른 태그를 사용하세요.',
  },
  command_too_slow: {
    en: '{command} did not end within {seconds, number} s',
    ko: '명령이 {seconds}초 안에 끝나지 않았습니다: {command}',
  },
  cannot_be_run: { en: '{file} cannot be run: {reason}', ko: '실행할 수 없습니다: {file} ({reason})' },
  no_sudo: {
    en: "the image's user {user} cannot use sudo without a password",
    ko: '이미지의 사용자 {user} 계정이 암호 없이 sudo를 사용할 수 없습니다',
  },
  no_perl: {
    en: 'the image has no /usr/bin/perl, which the agent needs to run builds',
    ko: '이미지에 빌드를 실행하는 데 필요한 /usr/bin/perl이 없습니다',
  },
  perl_too_old: {
    en: "the image's Perl is too old: {version} is needed",
    ko: '이미지의 Perl이 너무 오래되었습니다. {version} 이상이 필요합니다',
  },
  no_macos: { en: 'the image does not contain macOS', ko: '이미지에 macOS가 없습니다' },
  user_is_root: {
    en: "the image's user must not be root",
    ko: '이미지의 사용자는 root일 수 없습니다',
  },
  user_without_home: {
    en: "the session of the image's user has no valid name or home folder",
    ko: '이미지 사용자의 이름이나 홈 폴더가 올바르지 않습니다',
  },
});

/** @example imageError('no_room_for_image', { size: '12.0 GB' }) */
export const imageError = messagesOf(imageErrors);
