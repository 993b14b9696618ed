/** Makes keys and certificates of an installation: `npx node functions/credentials/main.ts`. See `--help`. */
import { HttpKubeClient, userAgentOf } from '#shared/kube/http-client.ts';
import { createApiMetrics } from '#shared/runtime/process/api-metrics.ts';
import { connectByConfiguration } from '#shared/runtime/process/cluster-connection.ts';
import { runBesideHealth } from '#shared/runtime/http/run-beside-health.ts';
import { runMain, type Started } from '#shared/runtime/process/run-main.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createRegistry, type Logger } from '#shared/runtime/process/telemetry.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { credentialsConfiguration, type CredentialsSettings } from './configuration.ts';
import { keepCredentials } from './keep-credentials.ts';
import { createRounds } from './rounds.ts';

const name = 'credentials';
const { version } = packageJson;

async function start(settings: CredentialsSettings, logger: Logger): Promise<Started> {
  const registry = createRegistry();
  const connection = await connectByConfiguration(settings);
  const client = new HttpKubeClient({
    connection,
    userAgent: userAgentOf(version, name),
    onRequest: createApiMetrics(registry),
  });
  const { namespace, trialRedis, certManager } = settings;
  const namesIn = (text: string) => text.split(',').filter((each) => each !== '');
  const keeping = {
    ...{ client, namespace, logger, clock: systemClock },
    redisUsers: trialRedis ? namesIn(settings.redisUsers) : undefined,
    admissions: namesIn(settings.admissions),
    certManager,
  };
  const rounds = createRounds({
    keep: () => keepCredentials(keeping),
    ...{ clock: systemClock, logger },
  });
  const { host, port } = settings;
  return runBesideHealth({
    ...{ host, port, logger, registry },
    run: (signal) => rounds.run(signal),
    notReady: () => rounds.notReady(),
    close: () => connection.close(),
  });
}

await runMain({ process, name, version, schema: credentialsConfiguration, start });
