import { type BuildClient, buildClient } from './build-client.js';
import { type ClientOptions, openWire } from './open-wire.js';
import { type RentingClient, rentingClient } from './renting-client.js';

/** See {@link createClient}. */
export interface Client extends BuildClient, RentingClient {}

/**
 * A client of the API, and of the files of the console's API.
 *
 * Every method throws a `CidermillError`. Retryable errors and lost connections
 * are retried with growing random delays before they are thrown; POST and PATCH carry an Idempotency-Key,
 * so that a retry never has its effect twice.
 *
 * @throws TypeError when `url` is not an http or https address
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:8460/api/v1', key: 'cm_…' });
 * const build = await client.builds.create({ repo: 'acme/app', script: 'make test' });
 * for await (const { data } of client.builds.log.follow(build.id)) process.stdout.write(data);
 * const { status, exit_code } = await client.builds.waitUntilEnded(build.id);
 */
export function createClient(options: ClientOptions): Client {
  const wire = openWire(options);
  return { ...buildClient(wire, options.gzip), ...rentingClient(wire) };
}
