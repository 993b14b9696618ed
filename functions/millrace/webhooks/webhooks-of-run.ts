/** The webhooks of `millrace run`, if the API server can reach this machine and permits their registration. */
import { hasCode } from '#shared/domain/errors.ts';
import { isLoopback } from '#shared/domain/loopback.ts';
import { isReached } from './reach.ts';
import { startWebhooks, type WebhookOptions, type Webhooks } from './start-webhooks.ts';

export interface RunWebhookOptions extends WebhookOptions {
  /** URL of the API server. */
  readonly server: string;
}

const hint =
  'a flow without a recorded submitter creates no Job: install the webhooks of deploy/base in the cluster, ' +
  'or start with --no-webhooks, which trusts every user who may create flows in a namespace';

/** Does not reject without webhooks: the cluster's own may record submitters, and without any nothing runs. */
export async function webhooksOfRun(options: RunWebhookOptions): Promise<Webhooks> {
  const { server, logger, client, namespace = 'default' } = options;
  if (!isLoopback(new URL(server).hostname)) {
    logger.warn(
      { server, hint },
      'no webhooks: the API server is on another machine and cannot call this one',
    );
    return none;
  }
  let webhooks: Webhooks;
  try {
    webhooks = await startWebhooks(options);
  } catch (err) {
    if (!hasCode(err, 'MR_API_FORBIDDEN')) throw err;
    logger.warn({ err, hint }, 'no webhooks: the rights to register them are missing');
    return none;
  }
  const left = new AbortController();
  const settled = isReached(client, namespace, left.signal).then(
    async (reached) => {
      if (reached !== false) return;
      logger.warn({ server, hint }, 'no webhooks: the API server does not reach this machine');
      await webhooks.stop();
    },
    (err: unknown) => {
      if (!left.signal.aborted) logger.warn({ err }, 'cannot tell whether webhooks are called');
    },
  );
  return {
    stop: async () => {
      left.abort();
      await settled;
      await webhooks.stop();
    },
  };
}

const none: Webhooks = { stop: () => Promise.resolve() };
