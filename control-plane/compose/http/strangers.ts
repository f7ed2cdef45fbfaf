// Limits clients that are not authenticated: connections per address, and time to send a body.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemClock } from '../../../shared/clock.js';
import type { AddressRanges } from '../../platform/domain/cidr.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SharedSightings } from '../../platform/domain/shared-state.js';
import { createBodyDeadline } from '../../platform/http/body-deadline.js';
import { createConnectionSlots } from '../../platform/http/connection-slots.js';
import { refuseIncomplete } from './early-errors.js';

export function limitStrangers(
  server: FastifyInstance,
  deps: {
    limits: Limits;
    trusted: AddressRanges | null;
    clientIp(request: FastifyRequest): string;
    shared: SharedSightings | null;
  },
): void {
  const slots = createConnectionSlots(deps);
  const deadline = createBodyDeadline({
    clock: systemClock,
    ms: deps.limits.stranger_body_ms,
    expired: refuseIncomplete,
  });
  server.server.on('connection', slots.connected);
  server.server.on('upgrade', ({ socket }) => slots.upgraded(socket));
  server.decorateRequest('authenticated', function (this: FastifyRequest, reply: FastifyReply, name: string | null) {
    deadline.lift(this.raw);
    slots.known(this, reply, name);
  });
  server.addHook('onRequest', (request, reply, done) => {
    deadline.start(request.raw, reply.raw);
    try {
      // Hosts are authenticated first, so that other clients of their address cannot lock them out.
      if (!request.url.startsWith('/link/v1/builds/')) slots.arrived(request, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  server.addHook('onClose', (_, done) => {
    deadline.close();
    done();
  });
  server.addHook('onResponse', ({ raw }, reply, done) => {
    deadline.start(raw, reply.raw);
    if (slots.isRefused(raw.socket)) {
      // Closing the connection while the body arrives would reset it, and the response would be lost.
      if (raw.complete) raw.socket.destroySoon();
      else raw.once('close', () => raw.socket.destroySoon());
    }
    done();
  });
}
