import type { FleetHostDetail } from '../../../../../client/types.js';
import { say } from '../../../../../shared/messages/message.js';
import { moveErrors } from '../../../../../shared/messages/move-errors.js';
import { upgradeErrors } from '../../../../../shared/messages/upgrade-errors.js';
import { Bytes, RelativeTime, Time } from '../../../design/amounts.js';
import { Facts } from '../../../design/facts.js';
import { useFormat, useLanguage } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { HostReasons } from '../parts/host-state.js';
import { blockText } from './block-text.js';
import { words } from './words.js';

/** Clocks of machines differ by this much at least. */
const SAME_CLOCK_MS = 2_000;

export function MachineFacts({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const language = useLanguage();
  const labels = Object.entries(host.labels).map(([key, value]) => `${key}=${value}`);
  const { upgrade, disk_free_bytes: free, disk_total_bytes: total } = host;
  return (
    <Facts
      facts={[
        host.reasons.length > 0 && { label: w.state, value: <HostReasons host={host} /> },
        { label: w.tier, value: host.tier ?? w.none },
        { label: w.labels, value: labels.join(', ') || w.none },
        { label: w.sharing, value: host.shared ? w.shared : w.alone },
        { label: w.connected, value: <Connection host={host} /> },
        { label: w.newMacs, value: newMacs(host) },
        { label: w.driver, value: host.driver ?? w.none },
        { label: w.agent, value: host.agent_version ?? w.none },
        upgrade && {
          label: w.upgrade,
          value: [
            upgrade.able ? w.upgradeStates[upgrade.state] : w.notAble,
            upgrade.state === 'idle' ? null : upgrade.version,
            upgrade.error_message && say(upgradeErrors, language, upgrade.error_message),
          ]
            .filter(Boolean)
            .join(': '),
        },
        (host.macos ?? host.os) !== null && { label: w.system, value: host.macos ?? host.os },
        (host.chip ?? host.arch) !== null && {
          label: w.chip,
          value: [host.chip ?? host.arch, host.cpu_cores === null ? null : w.cores(host.cpu_cores)]
            .filter(Boolean)
            .join(', '),
        },
        host.memory_bytes !== null && { label: w.memory, value: <Bytes value={host.memory_bytes} /> },
        free !== null && {
          label: w.disk,
          value: total === null ? <Bytes value={free} /> : w.diskOf(format.bytes(free), format.bytes(total)),
        },
        host.xcodes !== null && { label: w.xcode, value: host.xcodes.join(', ') || w.none },
        host.clock_skew_ms !== null && { label: w.clock, value: clockText(host.clock_skew_ms) },
        host.address !== null && {
          label: w.address,
          value: host.moving === null ? host.address : moveSaid(host.moving),
        },
        { label: w.enrolled, value: <Time at={host.enrolled_at} /> },
        { label: w.id, value: <code>{host.host_id}</code> },
      ]}
    />
  );

  function moveSaid({ to, error_message: error }: NonNullable<FleetHostDetail['moving']>): string {
    return error === null ? to : w.notYet(to, say(moveErrors, language, error));
  }

  function newMacs({ blocked, status, connected }: FleetHostDetail): string {
    if (blocked !== null) return blockText(blocked, language);
    return status === 'active' && connected ? w.possible : w.notNow;
  }

  function clockText(ms: number): string {
    if (Math.abs(ms) < SAME_CLOCK_MS) return w.clockSame;
    const span = format.duration(Math.abs(ms));
    return ms > 0 ? w.clockAhead(span) : w.clockBehind(span);
  }
}

function Connection({ host }: { host: FleetHostDetail }) {
  const w = useWords(words);
  if (host.last_seen_at === null) return w.never;
  const connectedAt = host.connections[0]?.connected_at;
  if (!host.connected || !connectedAt) {
    return (
      <>
        {w.lastSeen} <RelativeTime at={host.last_seen_at} />
      </>
    );
  }
  return (
    <>
      {w.since} <Time at={connectedAt} />
    </>
  );
}
