// Why a host is in its state, and what is wrong with it, for operators. The name of the host precedes the sentence.
import type { Language } from '../language.js';
import { spanText } from '../span-text.js';
import { hostBlocks, macProblems } from './mac-problems.js';
import { messagesOf, sentence, sentences } from './message.js';
import { operatorProblems } from './operator-problems.js';

const setStatuses = ['draining', 'cordoned', 'removed'] as const;
const statusWords: Readonly<Record<Language, Readonly<Record<(typeof setStatuses)[number], string>>>> = {
  en: { draining: 'drained', cordoned: 'cordoned', removed: 'removed' },
  ko: { draining: '비우는 중', cordoned: '신규 배정 중지', removed: '제거됨' },
};

const upgradeStates = ['downloading', 'installing', 'restarting', 'trying'] as const;
const upgradeWords: Readonly<Record<(typeof upgradeStates)[number], string>> = {
  downloading: '내려받는 중',
  installing: '설치 중',
  restarting: '재시작 중',
  trying: '확인 중',
};

const keys = <K extends string>(table: Readonly<Record<K, unknown>>) => Object.keys(table) as K[];
const span = (seconds: number, language: Language) => spanText(seconds * 1000, language);
const after = (separator: string, text: string) => (text === '' ? '' : `${separator}${text}`);

export const hostReasons = sentences({
  waits_for_approval: { en: 'waits for approval', ko: '승인 대기 중' },
  waits_for_approval_and_tier: { en: 'waits for approval and a tier', ko: '승인과 등급 설정 대기 중' },
  /** `by` is empty if it is not known; `reason` if the operator gave none. */
  status_set: sentence(
    { status: setStatuses, by: 'text', seconds: 'number', reason: 'text' },
    {
      en: ({ status, by, seconds, reason }) =>
        `${statusWords.en[status]}${by === '' ? '' : ` by ${by} ${span(seconds, 'en')} ago`}${after(': ', reason)}`,
      ko: ({ status, by, seconds, reason }) =>
        `${statusWords.ko[status]}${by === '' ? '' : `(${by}, ${span(seconds, 'ko')} 전)`}${after(': ', reason)}`,
    },
  ),
  drained_by_itself: { en: 'drained by its own configuration', ko: '호스트 설정에 따라 비우는 중' },

  two_agents: operatorProblems.two_agents,
  other_machine: operatorProblems.other_machine,
  other_machine_from: operatorProblems.other_machine_from,

  away: sentence(
    { seconds: 'number' },
    {
      en: ({ seconds }) => `away for ${span(seconds, 'en')}`,
      ko: ({ seconds }) => `${span(seconds, 'ko')} 동안 연결되지 않음`,
    },
  ),
  never_connected: sentence(
    { seconds: 'number' },
    {
      en: ({ seconds }) => `never connected since it was enrolled ${span(seconds, 'en')} ago`,
      ko: ({ seconds }) => `${span(seconds, 'ko')} 전에 등록된 뒤 연결된 적 없음`,
    },
  ),

  /** `detail`: the words of the host, in English. */
  blocked: sentence(
    { cause: keys(hostBlocks), detail: 'text' },
    {
      en: ({ detail }) => `cannot create Macs: ${detail}`,
      ko: ({ cause, detail }) => `Mac을 만들 수 없음: ${hostBlocks[cause].said.ko({})} (${detail})`,
    },
  ),
  disk_low: operatorProblems.disk_low,
  unhealthy: { en: 'unhealthy: {checks}', ko: '실패한 점검: {checks}' },

  /** `version` is empty if the host does not report it. */
  upgrading: sentence(
    { version: 'text', state: upgradeStates },
    {
      en: ({ version, state }) => `upgrading${after(' to ', version)} (${state})`,
      ko: ({ version, state }) => `업그레이드 중${after(': ', version)}(${upgradeWords[state]})`,
    },
  ),
  /** `reason` is empty if the host gives none. */
  upgrade_failed: sentence(
    { version: 'text', reason: 'text' },
    {
      en: ({ version, reason }) => `upgrade${after(' to ', version)} failed${after(': ', reason)}`,
      ko: ({ version, reason }) => `업그레이드 실패${after(', 버전 ', version)}${after(': ', reason)}`,
    },
  ),
  upgrade_rolled_back: sentence(
    { version: 'text', reason: 'text' },
    {
      en: ({ version, reason }) => `upgrade${after(' to ', version)} rolled back${after(': ', reason)}`,
      ko: ({ version, reason }) => `업그레이드를 되돌림${after(', 버전 ', version)}${after(': ', reason)}`,
    },
  ),
  moving: { en: 'moving to {to}', ko: '주소를 옮기는 중: {to}' },
  not_moved_yet: { en: 'moving to {to}, not yet: {reason}', ko: '아직 주소를 옮기지 못함: {to} ({reason})' },

  /** `detail`: the words of the host; empty if it gives none. */
  mac_not_made: sentence(
    { mac: 'text', organization: 'text', cause: keys(macProblems), detail: 'text' },
    {
      en: ({ mac, organization, cause, detail }) =>
        `cannot make ${mac} of ${organization}: ${detail === '' ? macProblems[cause].said.en({}) : detail}`,
      ko: ({ mac, organization, cause, detail }) =>
        `만들 수 없는 Mac: ${organization} / ${mac}. ${macProblems[cause].said.ko({})}${detail === '' ? '' : ` (${detail})`}`,
    },
  ),
});

/** @example hostReason('away', { seconds: 720 }) // { code: 'away', …, text: 'away for 12m' } */
export const hostReason = messagesOf(hostReasons);
