// The state of a host in words.
import type { FleetHost } from '../../../../../client/types.js';
import { hostReasons } from '../../../../../shared/messages/host-reasons.js';
import { say } from '../../../../../shared/messages/message.js';
import { Badge, type Tone } from '../../../design/badge.js';
import { useLanguage } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import styles from './parts.module.css';
import { words } from './words.js';

type Condition = keyof (typeof words)['en']['state'];

const tones: Readonly<Record<Condition, Tone>> = {
  pending: 'info',
  active: 'good',
  credential_conflict: 'bad',
  away: 'bad',
  draining: 'warn',
  cordoned: 'warn',
  removed: 'neutral',
  blocked: 'bad',
  macs_failing: 'bad',
  disk_low: 'bad',
  unhealthy: 'bad',
  upgrading: 'info',
  moving: 'info',
};

export function HostState({ host }: { host: Pick<FleetHost, 'conditions'> }) {
  const w = useWords(words);
  return (
    <span className={styles.badges}>
      {host.conditions.map((condition) => (
        <Badge key={condition} tone={tones[condition]}>
          {w.state[condition]}
        </Badge>
      ))}
    </span>
  );
}

/** Why a host is in its state, and what is wrong with it; nothing if nothing is. */
export function HostReasons({ host }: { host: Pick<FleetHost, 'reasons'> }) {
  const language = useLanguage();
  if (host.reasons.length === 0) return null;
  const texts = [...new Set(host.reasons.map((reason) => say(hostReasons, language, reason)))];
  return (
    <ul className={styles.reasons}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

export function HostHealth({ health }: { health: FleetHost['health'] }) {
  const w = useWords(words);
  if (health === null) return <span className={styles.muted}>{w.health.unknown}</span>;
  const tone = ({ ok: 'good', warning: 'warn', failed: 'bad' } as const)[health];
  return <Badge tone={tone}>{w.health[health]}</Badge>;
}
