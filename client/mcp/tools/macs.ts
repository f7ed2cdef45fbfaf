import { z } from 'zod';
import { rentalIdOf } from '../../find-macs.js';
import { given, rentalId, when } from '../inputs.js';
import { tool } from '../tool.js';

const JOB = 'Then call wait with job_id.';
const answer = { result: 'string', job_id: 'string' } as const;

export const macTools = [
  tool({
    name: 'mac',
    title: 'Show a Mac',
    description:
      'State of a Mac, what is installed (setup) and can be selected (setup_options), its build and last job.',
    input: { rental_id: rentalId },
    answer: { mac: 'object' },
    effect: 'reads',
    does: ['getRental'],
    async run({ rental_id }, { client, signal }) {
      const id = await rentalIdOf(client.rentals, rental_id, { signal });
      const { current_build, ...mac } = await client.rentals.get(id, { signal });
      return { data: { mac: { ...mac, current_build: current_build?.id ?? null } } };
    },
  }),
  tool({
    name: 'set_xcode',
    title: 'Select an Xcode',
    description: `Selects one of the Xcode versions that mac lists. ${JOB}`,
    input: { rental_id: rentalId, version: z.string().min(1), when },
    answer,
    effect: 'adds',
    does: ['selectXcode', 'selectXcodeOfRentals'],
    repeatable: true,
    run: async ({ rental_id, ...request }, { client, signal }) => {
      const change = { version: request.version, ...given({ when: request.when }) };
      const id = await rentalIdOf(client.rentals, rental_id, { signal });
      return { data: { ...(await client.maintenance.selectXcode(id, change, { signal })) } };
    },
  }),
  tool({
    name: 'reset_mac',
    title: 'Reset a Mac',
    description: `Recreates the machine: everything on it is lost. Try keep_cache true first: it only empties project folders. ${JOB}`,
    input: { rental_id: rentalId, keep_cache: z.boolean(), when },
    answer,
    effect: 'destroys',
    does: ['resetRental', 'resetRentals'],
    run: async ({ rental_id, ...request }, { client, signal }) => {
      const change = { keep_cache: request.keep_cache, ...given({ when: request.when }) };
      const id = await rentalIdOf(client.rentals, rental_id, { signal });
      return { data: { ...(await client.maintenance.reset(id, change, { signal })) } };
    },
  }),
  tool({
    name: 'rename_mac',
    title: 'Rename a Mac',
    description: 'Gives a Mac another name, at once, in any state.',
    input: { rental_id: rentalId, name: z.string() },
    answer: { rental_name: 'string' },
    effect: 'adds',
    does: ['changeSetup'],
    repeatable: true,
    async run({ rental_id, name }, { client, signal }) {
      const id = await rentalIdOf(client.rentals, rental_id, { signal });
      return { data: { ...(await client.rentals.rename(id, name, { signal })) } };
    },
  }),
];
