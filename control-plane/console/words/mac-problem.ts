// Why a host cannot make a Mac, by the code of the service.
import type { MacProblem } from '../../../client/types.js';
import type { Words } from './words.js';

const en: Readonly<Record<MacProblem['code'], string>> = {
  disk_full: 'The disk of its host is full.',
  not_writable: 'Its host cannot write to its own folder.',
  image_not_found: 'The image that it is made from is not in the registry.',
  unauthorized: 'The registry of the image that it is made from refuses its host.',
  not_installed: 'Its image or its host lacks what it needs.',
  vm_tool_missing: 'The program for virtual machines is missing on its host.',
  vm_tool_incompatible: 'The program for virtual machines on its host has a version that is not supported.',
  vm_tool_unresponsive: 'The program for virtual machines on its host does not answer.',
  vm_limit_leaked: 'macOS refuses to start another virtual machine on its host.',
  vm_no_address: 'Its virtual machine gets no address on its host.',
  keychain_locked: 'The keychain of its host is locked.',
  beyond_slots: 'Its host is configured for fewer Macs.',
  failed: 'Its host could not make it.',
};

const ko: Readonly<Record<MacProblem['code'], string>> = {
  disk_full: '호스트의 디스크가 가득 찼습니다.',
  not_writable: '호스트가 자신의 폴더에 쓸 수 없습니다.',
  image_not_found: 'Mac을 만드는 이미지가 레지스트리에 없습니다.',
  unauthorized: '이미지 레지스트리가 호스트의 접근을 거부합니다.',
  not_installed: '이미지나 호스트에 필요한 항목이 없습니다.',
  vm_tool_missing: '호스트에 가상 머신 프로그램이 없습니다.',
  vm_tool_incompatible: '호스트의 가상 머신 프로그램 버전이 지원되지 않습니다.',
  vm_tool_unresponsive: '호스트의 가상 머신 프로그램이 응답하지 않습니다.',
  vm_limit_leaked: '호스트의 macOS가 가상 머신을 더 시작하지 못하게 합니다.',
  vm_no_address: '호스트의 가상 머신이 주소를 받지 못합니다.',
  keychain_locked: '호스트의 키체인이 잠겨 있습니다.',
  beyond_slots: '호스트에 설정된 Mac 수가 더 적습니다.',
  failed: '호스트가 Mac을 만들지 못했습니다.',
};

export const macProblem = {
  en: {
    cause: en,
    title: 'It cannot be made now',
    retried:
      'Its host keeps trying, and its time does not run. It comes back by itself when the cause is gone.',
  },
  ko: {
    cause: ko,
    title: '지금은 Mac을 만들 수 없습니다',
    retried: '호스트가 계속 다시 시도하며 대여 시간은 흐르지 않습니다. 원인이 해소되면 저절로 돌아옵니다.',
  },
} satisfies Words;
