// What is wrong with hosts and capacity right now.
import type { Language } from '../../../shared/language.js';
import { macLabel } from '../../../shared/mac-name.js';
import type { HostHealth } from '../../../shared/protocol/index.js';
import { conflictWords } from '../../hosts/domain/credential-conflict.js';
import { failedChecks, healthText, isUnhealthy, problemsOf } from '../../hosts/domain/health.js';
import type { Host } from '../../hosts/domain/host.js';
import { type FailingMac, failingMacLabel } from '../../macs/domain/making.js';
import type { ManualSettlement } from '../../payments/domain/manual-settlement.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SlotCounts } from '../../renting/domain/capacity.js';
import type { ProblemKind, Sighting } from './problem.js';

export type SightingLimits = Pick<Limits, 'notice_offline_ms' | 'capacity_low_percent'>;

/** Ms since the epoch from which a disconnected host counts as offline. */
const offlineAt = ({ lastSeenAt, createdAt }: Host, limits: SightingLimits) =>
  (lastSeenAt ?? createdAt) + limits.notice_offline_ms;

/** Of a removed host or one that no operator has approved: nothing. */
export function sightingsOfHost(
  host: Host,
  macs: readonly FailingMac[],
  now: number,
  limits: SightingLimits,
): Sighting[] {
  if (host.status === 'removed' || host.status === 'pending') return [];
  // An operator drains a host to work on it, so its problems are expected then.
  const isNews = host.status !== 'draining';
  const sighting = (kind: ProblemKind, isPresent: boolean, words: Said): Sighting => ({
    kind,
    subject: host.hostId,
    name: host.name,
    ...messagesOf(words),
    state: isPresent && isNews ? 'present' : 'unclear',
  });
  const conflict = conflictOf(host);
  if (!host.connected) {
    const since = new Date(host.lastSeenAt ?? host.createdAt).toISOString();
    const never = host.lastSeenAt === null;
    const words = {
      en: never ? `has not connected since ${since}` : `not heard since ${since}`,
      ko: never ? `${since} 등록 이후 연결된 적이 없습니다` : `${since} 이후 응답이 없습니다`,
    };
    return [
      ...conflict,
      sighting('host.offline', now >= offlineAt(host, limits), words),
      // What a host reported before it was disconnected may be over.
      sighting('host.unhealthy', false, NOTHING),
      sighting('host.disk_low', false, NOTHING),
      sighting('host.macs_failing', false, NOTHING),
    ];
  }
  return [
    ...conflict,
    ...(isUnhealthy(host.health) ? [sighting('host.unhealthy', true, healthWords(host.health))] : []),
    ...(host.diskLow ? [sighting('host.disk_low', true, diskWords(host))] : []),
    ...(macs.length > 0 ? [sighting('host.macs_failing', true, macsWords(macs))] : []),
  ];
}

/** Until an operator has dealt with it; also of a host that is drained meanwhile. */
function conflictOf({ hostId, name, credentialConflict }: Host): Sighting[] {
  if (credentialConflict === null) return [];
  const at = new Date(credentialConflict.at).toISOString();
  const words = messagesOf({
    en: conflictWords(credentialConflict, `at ${at}`).en,
    ko: conflictWords(credentialConflict, `${at}에`).ko,
  });
  return [{ kind: 'host.credential_conflict', subject: hostId, name, state: 'present', ...words }];
}

type Said = Readonly<Record<Language, string>>;
const NOTHING: Said = { en: '', ko: '' };

const messagesOf = ({ en, ...translations }: Said): Pick<Sighting, 'message' | 'translations'> => ({
  message: en,
  translations,
});

function healthWords(health: HostHealth | null): Said {
  const failed = failedChecks(health);
  const warnings = problemsOf(health).length - failed.length;
  const ko = `실패한 점검: ${failed.join(', ')}${warnings === 0 ? '' : `, 경고 ${warnings}개`}`;
  return { en: healthText(health), ko };
}

function macsWords(macs: readonly FailingMac[]): Said {
  const list = (labelOf: (mac: FailingMac) => string) =>
    macs.map((mac) => `${labelOf(mac)} (${mac.problem.code})`).join(', ');
  return {
    en: `cannot make ${list(failingMacLabel)}, and keeps trying`,
    ko: `만들지 못해 다시 시도하는 Mac: ${list((mac) => `${mac.orgName}의 ${macLabel(mac)}`)}`,
  };
}

function diskWords({ inventory }: Host): Said {
  const gibibytes = (bytes = 0) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const free = gibibytes(inventory?.disk_free_bytes);
  const reserve = gibibytes(inventory?.disk_reserve_bytes);
  return {
    en: `${free} free, less than the reserve of ${reserve}: takes no builds`,
    ko: `여유 공간이 ${free}로 예비 공간 ${reserve}보다 적어 빌드를 받지 않습니다`,
  };
}

/** Returns when a host that is disconnected now will count as offline; null: never, or it does already. */
export function offlineNext(hosts: readonly Host[], now: number, limits: SightingLimits): number | null {
  const times = hosts
    .filter(({ connected, status }) => !connected && status !== 'removed' && status !== 'pending')
    .map((host) => offlineAt(host, limits))
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) : null;
}

/** Of a tier whose sales are closed, or without slots: nothing. */
export function sightingsOfTier(
  { tier, salesOpen }: { readonly tier: string; readonly salesOpen: boolean },
  { free, used, unsellable }: SlotCounts,
  limits: SightingLimits,
): Sighting[] {
  const total = free + used + unsellable;
  if (!salesOpen || total === 0 || free * 100 >= total * limits.capacity_low_percent) return [];
  const messages = messagesOf({
    en: `${free} of ${total} slots can be sold (${used} used, ${unsellable} unsellable)`,
    ko: `슬롯 ${total}개 중 ${free}개를 판매할 수 있습니다(사용 중 ${used}개, 판매 불가 ${unsellable}개)`,
  });
  return [{ kind: 'capacity.low', subject: tier, name: tier, state: 'present', ...messages }];
}

const won = new Intl.NumberFormat('en');

/** Of a payment or refund that the operator has to settle with the provider. */
export function sightingOfSettlement({ id, kind, orderNo, amountWon }: ManualSettlement): Sighting {
  const amount = amountWon === null ? null : won.format(amountWon);
  const words: Readonly<Record<ManualSettlement['kind'], Said>> = {
    over_returned: {
      en: `${amount} won more were returned than were charged`,
      ko: `결제 금액보다 ${amount}원 더 환불되었습니다`,
    },
    refused: {
      en: `the provider refuses the refund of ${amount === null ? 'the whole charge' : `${amount} won`}`,
      ko: `결제 대행사가 ${amount === null ? '전액' : `${amount}원`} 환불을 거부합니다`,
    },
  };
  return {
    kind: 'payment.unsettled',
    subject: id,
    name: orderNo,
    state: 'present',
    ...messagesOf(words[kind]),
  };
}
