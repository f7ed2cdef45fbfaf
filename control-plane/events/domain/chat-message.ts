// Messages for chat services, each in its own format: detects the service from the URL and renders an event as text.
import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';

/** The fields of an event that a message uses; see `eventPayload`. */
const told = z.object({
  event_type: z.string(),
  build: z
    .object({
      id: z.string(),
      repo: z.string().nullable(),
      commit: z.string().nullable(),
      // Absent in events of earlier versions.
      commit_sha: z.string().nullish(),
      pr: z.int().nullable(),
      rental_name: z.string().nullish(),
      end_reason: z.string().nullable(),
      failure: z.object({ summary: z.string() }).nullable(),
      console_url: z.string(),
    })
    .nullable(),
  stall: z.object({ reason: z.string() }).nullable(),
  rental: z
    .object({ id: z.string(), name: z.string().optional(), tier: z.string(), ends_at: z.string().nullable() })
    .optional(),
  order: z.object({ order_no: z.string(), amount_won: z.int(), refunded_won: z.int(), pay_url: z.string() }).optional(),
  waitlist: z.object({ id: z.string(), tier: z.string(), units: z.int() }).optional(),
});

type Told = z.infer<typeof told>;
type Service = 'slack' | 'discord' | 'teams';

const LONGEST_SUMMARY = 300;

/** @example chatServiceOf('https://hooks.slack.com/services/T0/B0/x') // 'slack' */
export function chatServiceOf(address: string): Service | null {
  const { hostname, pathname } = new URL(address);
  if (/^hooks\.slack(?:-gov)?\.com$/.test(hostname)) return 'slack';
  if (/^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/.test(hostname)) {
    // Discord accepts Slack's format at a separate path; GitHub's format is not supported.
    const found = /^\/api(?:\/v\d+)?\/webhooks\/[^/]+\/[^/]+(\/slack|\/github)?\/?$/.exec(pathname);
    if (found === null || found[1] === '/github') return null;
    return found[1] === '/slack' ? 'slack' : 'discord';
  }
  const teams =
    /(?:^|\.)webhook\.office\.com$|^outlook\.office(?:365)?\.com$/.test(hostname) && /\/webhook/.test(pathname);
  const flow = /\.(?:logic\.azure\.com|api\.powerplatform\.com)$/.test(hostname) && /\/workflows\//.test(pathname);
  return teams || flow ? 'teams' : null;
}

/**
 * Returns the body for a URL: a message in the chat service's format, or the payload itself.
 *
 * @param payload JSON of an event or a test
 */
export function bodyFor(address: string, payload: string): string {
  if (chatServiceOf(address) === null) return payload;
  const event = told.parse(JSON.parse(payload));
  return chatBody(address, lines(event), linkOf(event)) ?? payload;
}

export interface ChatLink {
  readonly label: string;
  readonly url: string;
}

function linkOf({ build, order }: Told): ChatLink | null {
  if (build) return { label: 'Open the build', url: build.console_url };
  return order ? { label: 'Open the order', url: order.pay_url } : null;
}

/** Returns a message of these lines in the chat service's format; null when the URL is not that of a chat service. */
export function chatBody(address: string, text: readonly string[], link: ChatLink | null): string | null {
  const service = chatServiceOf(address);
  return service === null ? null : JSON.stringify(forms[service](text, link));
}

const forms: Record<Service, (text: readonly string[], link: ChatLink | null) => object> = {
  slack: (text, link) => {
    const escaped = text.map((line) => line.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;' })[c] ?? '&gt;'));
    return { text: [...escaped, ...(link === null ? [] : [`<${link.url}|${link.label}>`])].join('\n') };
  },
  discord: (text, link) => ({
    content: [...text.map(plain), ...(link === null ? [] : [`<${link.url}>`])].join('\n'),
    // Log text must not mention anybody.
    allowed_mentions: { parse: [] },
  }),
  teams: (text, link) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: text.map((line) => ({ type: 'TextBlock', text: plain(line), wrap: true })),
          actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
        },
      },
    ],
  }),
};

/** Escapes Markdown characters. */
const plain = (line: string) => line.replace(/[\\`*_~|[\]()#<>]/g, '\\$&');

function lines({ event_type, build, stall, ...other }: Told): string[] {
  const renting = rentingLine(event_type, other);
  if (renting !== null) return [cleanText(renting, LONGEST_SUMMARY)];
  if (build === null) return ['Cidermill: this is a test. Messages about events will come here.'];
  const what = event_type.replace(/^build\./, '');
  const commit = build.commit_sha ?? build.commit;
  const place = [build.repo, build.pr === null ? null : `#${build.pr}`, commit?.slice(0, 7)];
  const where = place.filter((part) => part !== null && part !== undefined).join(' ');
  const why = stall?.reason ?? (what === 'succeeded' ? null : build.end_reason);
  const mac = build.rental_name ? ` on ${build.rental_name}` : '';
  const title = `Build ${what}${mac}: ${where === '' ? build.id : `${where} (${build.id})`}`;
  const summary = build.failure?.summary ?? '';
  return [
    cleanText(why === null ? title : `${title}, ${why.replaceAll('_', ' ')}`, LONGEST_SUMMARY),
    ...(summary === '' ? [] : [cleanText(summary, LONGEST_SUMMARY)]),
  ];
}

function rentingLine(
  type: string,
  { rental, order, waitlist }: Pick<Told, 'rental' | 'order' | 'waitlist'>,
): string | null {
  const what = type.replace(/^[a-z]+\./, '').replaceAll('_', ' ');
  if (rental) {
    const end = rental.ends_at === null ? 'no end' : `until ${rental.ends_at}`;
    const { id, name, tier } = rental;
    return `Rental ${what}: ${name === undefined ? id : `${name} (${id})`}, ${tier}, ${end}`;
  }
  if (order) {
    const { order_no, amount_won, refunded_won } = order;
    const won = type === 'order.refunded' ? `${refunded_won} of ${amount_won}` : amount_won;
    return `Order ${what}: ${order_no}, ${won} won`;
  }
  return waitlist ? `Waitlist ${what}: ${waitlist.units} of ${waitlist.tier} can be ordered` : null;
}
