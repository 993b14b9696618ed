import packageJson from '../../package.json' with { type: 'json' };
import { defaultNamespace, deliveryKeyFile } from './names.ts';
import type { DeliveryProof, InstallationSettings, Resources, Scale } from './settings.ts';
import type { DeclaredProcess } from './declared-process.ts';

/** Prefix of published images. */
export const defaultImagePrefix = 'millrace.dev';

/** The runbook page of the release. */
export const defaultRunbookUrl = `${packageJson.homepage}/docs/runbook.md`;

/** Each process has its own Redis user there; `credentials` creates them. */
const withTrialRedis = {
  trialRedis: true,
  ownUrlIsOptional: false,
  sharedUrlIsOptional: true,
};

/** One URL for all is required; single processes may have their own. */
export const withAnotherRedis = {
  trialRedis: false,
  ownUrlIsOptional: true,
  sharedUrlIsOptional: false,
};

/** Brokers cannot sign, and a function with a key accepts only signed events. */
const unsigned: DeliveryProof = { allowUnsigned: 'true', keyFile: '' };

/** An ApiServerSource reports to functions what they can route themselves. */
export const withApiServerSource = { proofOfWoken: unsigned };

/**
 * The bridge reaches every function through a broker, without keys. So no function could read
 * sealed views.
 */
export const withContainerSource = { proofOfWoken: unsigned, proof: unsigned };

/** The release line with the longest security support. */
export const defaultRedisImage = 'docker.io/library/redis:8.2.2';

export function defaultSettings(
  processes: readonly DeclaredProcess[],
  version: string,
  imagePrefix = defaultImagePrefix,
): InstallationSettings {
  const partOf = new Map(processes.map(({ name, part }) => [name, part]));
  return {
    namespace: defaultNamespace,
    imageOf: (name) => `${imagePrefix}/${name}:${version}`,
    imagePullPolicy: 'IfNotPresent',
    logLevel: 'info',
    policy: '',
    ...withTrialRedis,
    redisImage: defaultRedisImage,
    namespaced: false,
    proofOfWoken: { keyFile: deliveryKeyFile },
    proof: { keyFile: deliveryKeyFile },
    certManager: false,
    runbookUrl: defaultRunbookUrl,
    scaleOf: (name) => scales[partOf.get(name) ?? 'function'],
    podFields: {},
  };
}

/** 60 to 90 MB idle, 420 MB with 2,000 flows at once. */
const small: Resources = {
  requests: { cpu: '25m', memory: '96Mi' },
  limits: { cpu: '1', memory: '384Mi' },
};
const large: Resources = {
  requests: { cpu: '50m', memory: '128Mi' },
  limits: { cpu: '2', memory: '1Gi' },
};

/** Parts that are called or elect a leader run twice, so that one continues when the other ends. */
const scales: Readonly<Record<DeclaredProcess['part'], Scale>> = {
  worker: { replicas: 2, minScale: '2', maxScale: '2', resources: large },
  function: { replicas: 1, minScale: '0', maxScale: '10', resources: small },
  admission: { replicas: 2, minScale: '2', maxScale: '4', resources: small },
  keeper: { replicas: 1, minScale: '1', maxScale: '1', resources: small },
};
