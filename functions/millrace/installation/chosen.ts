/** The manifests of `deploy`, rendered with the chosen options. */
import { processes, product } from '#functions/processes.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { defaultSettings, withAnotherRedis } from '#shared/installation/default-settings.ts';
import { installationOf, manifestsOf } from '#shared/installation/installation.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { InstallOptions } from '../commands/install-options.ts';
import type { Installed } from './installed-resources.ts';

export type Chosen = Pick<
  InstallOptions,
  'namespace' | 'namespaced' | 'knative' | 'kueue' | 'imagePrefix' | 'certManager' | 'externalRedis'
>;

export function chosenManifests(options: Chosen): readonly Installed[] {
  const settings = {
    ...defaultSettings(processes, packageJson.version, options.imagePrefix),
    namespace: options.namespace,
    namespaced: options.namespaced === true,
    ...(options.externalRedis === true ? withAnotherRedis : {}),
    certManager: options.certManager === true,
  };
  const rendered = installationOf(product, settings);
  const installation = {
    ...rendered,
    ...(settings.trialRedis ? {} : { redis: [], redisNetworkPolicy: [] }),
    ...(settings.certManager ? { webhooks: rendered.webhooksOfCertManager } : {}),
  };
  const manifests: readonly JsonObject[] = [
    ...manifestsOf(installation, options.knative === true ? 'knative' : 'plain'),
    ...(settings.certManager ? installation.certificates : []),
    ...(options.kueue === true ? installation.kueueManager : []),
  ];
  return manifests as readonly Installed[];
}
