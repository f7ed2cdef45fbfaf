// The service by injection, which the command line reaches over a socket.
import type { Test } from 'tap';
import type { Harness } from '../../harness/harness.js';
import { makePlace, type Place } from '../place.js';

/** Has the service listen; returns a place whose commands speak to it with a key. */
export async function placeAt(t: Test, h: Harness, key: string): Promise<Place> {
  const url = await h.server.listen({ host: '127.0.0.1', port: 0 });
  const place = makePlace(null);
  t.teardown(place.remove);
  Object.assign(place.env, { CIDERMILL_URL: `${url}/api/v1`, CIDERMILL_API_KEY: key });
  return place;
}
