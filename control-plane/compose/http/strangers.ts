// Limits what clients can hold before they are authenticated: connections of an address, and time for a body.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemClock } from '../../../shared/clock.js';
import type { AddressRanges } from '../../platform/domain/cidr.js';
import type { Limits } from '../../platform/domain/limits.js';
import { createBodyDeadline } from '../../platform/http/body-deadline.js';
import { createConnectionSlots } from '../../platform/http/connection-slots.js';
import { refuseIncomplete } from './early-errors.js';

export function limitStrangers(
  server: FastifyInstance,
  deps: { limits: Limits; trusted: AddressRanges | null; clientIp(request: FastifyRequest): string },
): void {
  const slots = createConnectionSlots(deps);
  const deadline = createBodyDeadline({
    clock: systemClock,
    ms: deps.limits.stranger_body_ms,
    expired: refuseIncomplete,
  });
  server.server.on('connection', slots.connected);
  server.server.on('upgrade', ({ socket }) => slots.upgraded(socket));
  server.decorateRequest(
    'authenticated',
    function (this: FastifyRequest, reply: FastifyReply, name: string | null) {
      deadline.lift(this.raw);
      slots.known(this, reply, name);
    },
  );
  server.addHook('onRequest', (request, reply, done) => {
    deadline.start(request.raw, reply.raw);
    try {
      // Hosts are authenticated at once, and not kept out by what else comes from their address.
      if (!request.url.startsWith('/link/v1/builds/')) slots.arrived(request, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  server.addHook('onResponse', ({ raw }, reply, done) => {
    deadline.start(raw, reply.raw);
    if (slots.isRefused(raw.socket)) {
      // A connection that is closed while its body arrives would be reset, and the response lost.
      if (raw.complete) raw.socket.destroySoon();
      else raw.once('close', () => raw.socket.destroySoon());
    }
    done();
  });
}
