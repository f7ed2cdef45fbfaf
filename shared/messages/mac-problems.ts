// Why a host cannot make a Mac, and why it can make none at all.
import { sentences } from './message.js';

export const macProblems = sentences({
  disk_full: { en: 'The disk of the host is full.', ko: '호스트의 디스크가 가득 찼습니다.' },
  not_writable: {
    en: 'The host cannot write to its data folder.',
    ko: '호스트가 자신의 폴더에 쓸 수 없습니다.',
  },
  image_not_found: {
    en: 'The registry does not have the image of the Mac.',
    ko: 'Mac을 만드는 이미지가 레지스트리에 없습니다.',
  },
  unauthorized: {
    en: 'The registry refuses the host access to the image of the Mac.',
    ko: '이미지 레지스트리가 호스트의 접근을 거부합니다.',
  },
  not_installed: {
    en: 'The image or the host lacks software that the Mac needs.',
    ko: '이미지나 호스트에 필요한 항목이 없습니다.',
  },
  vm_tool_missing: {
    en: 'The program for virtual machines is missing on the host.',
    ko: '호스트에 가상 머신 프로그램이 없습니다.',
  },
  vm_tool_incompatible: {
    en: 'The program for virtual machines on the host has a version that is not supported.',
    ko: '호스트의 가상 머신 프로그램 버전이 지원되지 않습니다.',
  },
  vm_tool_unresponsive: {
    en: 'The program for virtual machines on the host does not answer.',
    ko: '호스트의 가상 머신 프로그램이 응답하지 않습니다.',
  },
  vm_limit_leaked: {
    en: 'macOS refuses to start another virtual machine on the host.',
    ko: '호스트의 macOS가 가상 머신을 더 시작하지 않습니다.',
  },
  vm_no_address: {
    en: 'The virtual machine gets no address on the host.',
    ko: '호스트의 가상 머신이 주소를 받지 못합니다.',
  },
  keychain_locked: {
    en: 'The keychain of the host is locked.',
    ko: '호스트의 키체인이 잠겨 있습니다.',
  },
  beyond_slots: {
    en: 'The host is configured for fewer Macs.',
    ko: '호스트에 설정된 Mac 수가 더 적습니다.',
  },
  failed: { en: 'The host could not create the Mac.', ko: '호스트가 Mac을 만들지 못했습니다.' },
});

/** Of a host that is blocked. Its words, which name the cause, are in English. */
export const hostBlocks = sentences({
  ...macProblems,
  vm_limit_foreign: {
    en: 'Virtual machines of other programs run on the host.',
    ko: '호스트에서 다른 프로그램의 가상 머신이 실행 중입니다.',
  },
});
