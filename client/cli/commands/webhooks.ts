import { Command, Option } from 'commander';
import type { DeliveryFilter, RedeliverRequest, WebhookChanges, WebhookEventType } from '../../types.js';
import { argumentReader } from '../declare-options.js';
import { EXIT_OTHER } from '../exit-codes.js';
import { formatCount } from '../format.js';
import { wholeNumber } from '../options.js';
import { deliveriesTable, testText, webhooksTable, webhookText } from '../render-webhooks.js';
import { withRenting } from '../renting-session.js';
import { printable } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { eventsOption, webhookArgument } from '../webhook-options.js';

/** `cidermill webhooks [list|add|edit|test|rotate|rm|deliveries|redeliver]` */
export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('manage webhooks')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(addCommand())
    .addCommand(editCommand())
    .addCommand(testCommand())
    .addCommand(rotateCommand())
    .addCommand(removeCommand())
    .addCommand(deliveriesCommand())
    .addCommand(redeliverCommand());
}

function listCommand(): Command {
  return new Command('list').description('list webhooks').action((_options: unknown, command: Command) =>
    withRenting(command, async ({ renting, answer }) => {
      answer(await renting.webhooks.list(), ({ webhooks }) =>
        webhooks.length === 0 ? 'no webhooks\n' : webhooksTable(webhooks),
      );
    }),
  );
}

function addCommand(): Command {
  return new Command('add')
    .description('register a receiver and test it; prints its id and, only this once, its secret')
    .argument('<address>', 'public https address')
    .addOption(eventsOption('default: ends and stalls of builds'))
    .action((url: string, { events }: { events?: WebhookEventType[] }, command: Command) =>
      withRenting(command, async ({ renting, answer, note }) => {
        const webhook = await renting.webhooks.create({ url, ...(events ? { events } : {}) });
        if (webhook.status === 'disabled') {
          note(`${testText(webhook)}; give it the secret, then: cidermill webhooks test ${webhook.id}`);
        }
        answer(webhook, ({ id, secret }) => `${id}\n${secret}\n`);
      }),
    );
}

function editCommand(): Command {
  return new Command('edit')
    .description('change a webhook; a new or enabled address is tested')
    .addArgument(webhookArgument())
    .option('--address <address>', 'another public https address')
    .addOption(eventsOption('events to send'))
    .addOption(new Option('--status <status>', 'pause it, or resume it').choices(['enabled', 'disabled']))
    .action((id: string, options: WebhookChanges & { address?: string }, command: Command) => {
      const { address, events, status } = options;
      if (address === undefined && !events && !status) throw new UsageError('say what to change');
      return withRenting(command, async ({ context, renting, answer }) => {
        const changes = {
          ...(address === undefined ? {} : { url: address }),
          ...(events ? { events } : {}),
          ...(status ? { status } : {}),
        };
        const webhook = await renting.webhooks.update(id, changes);
        answer(webhook, webhookText);
        if (status !== 'disabled' && webhook.status === 'disabled') context.exitCode = EXIT_OTHER;
      });
    });
}

function testCommand(): Command {
  return new Command('test')
    .description('send a test; a 2xx answer enables the webhook')
    .addArgument(webhookArgument())
    .addHelpText('after', '\nThe exit code is 70 unless the receiver answers 2xx.')
    .action((id: string, _options: unknown, command: Command) =>
      withRenting(command, async ({ context, renting, answer }) => {
        const webhook = await renting.webhooks.test(id);
        answer(webhook, webhookText);
        if (!webhook.test.ok) context.exitCode = EXIT_OTHER;
      }),
    );
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('create a new secret and print it once; the old one also signs for a while')
    .addArgument(webhookArgument())
    .option(
      '--grace <seconds>',
      'how long the old secret also signs (default: as the service is configured)',
      argumentReader(wholeNumber(0)),
    )
    .action((id: string, { grace }: { grace?: number }, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        const revealed = await renting.webhooks.rotate(id, grace === undefined ? {} : { graceS: grace });
        answer(revealed, ({ secret }) => `${secret}\n`);
      }),
    );
}

function removeCommand(): Command {
  return new Command('rm')
    .description('remove a webhook and drop its pending deliveries')
    .addArgument(webhookArgument())
    .action((id: string, _options: unknown, command: Command) =>
      withRenting(command, async ({ renting, answer }) => {
        answer(await renting.webhooks.delete(id), () => `${printable(id)} removed\n`);
      }),
    );
}

function deliveriesCommand(): Command {
  return new Command('deliveries')
    .description('list the deliveries of a webhook; with --json also requests and answers')
    .addArgument(webhookArgument())
    .addOption(new Option('--status <status>', 'only those').choices(['pending', 'delivered', 'failed']))
    .option('--before <delivery>', 'the page after this delivery')
    .option('--limit <count>', 'deliveries on a page', argumentReader(wholeNumber(1)))
    .action((id: string, filter: DeliveryFilter, command: Command) =>
      withRenting(command, async ({ renting, answer, style }) => {
        answer(await renting.webhooks.deliveries(id, filter), ({ deliveries, next_before }) => {
          if (deliveries.length === 0) return 'no deliveries\n';
          const more = next_before === null ? '' : style.out.dim(`more with --before ${next_before}\n`);
          return deliveriesTable(deliveries) + more;
        });
      }),
    );
}

function redeliverCommand(): Command {
  return new Command('redeliver')
    .description('send a delivery again, or all since a time, including events missed while disabled')
    .addArgument(webhookArgument())
    .argument('[delivery]', 'delivery (dl_…)')
    .option('--since <time>', 'all deliveries since this time (ISO 8601)')
    .addOption(new Option('--status <status>', 'with --since: only those').choices(['delivered', 'failed']))
    .action((id: string, delivery: string | undefined, options: Partial<RedeliverRequest>, command: Command) => {
      const { since, status } = options;
      if ((delivery === undefined) === (since === undefined)) {
        throw new UsageError('give a delivery, or --since');
      }
      if (status !== undefined && since === undefined) throw new UsageError('--status needs --since');
      return withRenting(command, async ({ renting, answer }) => {
        if (delivery !== undefined) {
          const again = await renting.webhooks.redeliver(id, delivery);
          return answer(again, () => `${again.id} ${again.status}\n`);
        }
        const all = await renting.webhooks.redeliverSince(id, since ?? '', status ? { status } : {});
        return answer(all, ({ redelivered }) => `${formatCount(redelivered, 'event')} sent again\n`);
      });
    });
}
