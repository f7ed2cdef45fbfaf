// Requests that several errors suggest.
import type { Suggestion } from './row.js';

export const suggest = {
  start: { action: 'read_start', site: '/agent-start.md' },
  /** For errors about which endpoints exist; for an error of one endpoint, the page of its code is shorter. */
  reference: { action: 'read_reference', path: '/openapi.json' },
  me: { action: 'show_key', path: '/me' },
  catalog: { action: 'list_tiers', path: '/catalog' },
  status: { action: 'show_status', path: '/status' },
  queue: { action: 'show_queue', path: '/queue' },
  builds: { action: 'list_builds', path: '/builds' },
  build: { action: 'show_build', path: '/builds/{build_id}' },
  orders: { action: 'list_orders', path: '/orders' },
  waitlist: { action: 'list_waitlist', path: '/waitlist' },
  secrets: { action: 'list_secrets', path: '/secrets' },
  webhooks: { action: 'list_webhooks', path: '/webhooks' },
  upload: { action: 'show_upload', path: '/uploads/{id}' },
  waitForBuild: { action: 'wait_for_the_build', change: { when: 'after_build' } },
} as const satisfies Record<string, Suggestion>;
