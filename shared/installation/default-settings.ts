import packageJson from '../../package.json' with { type: 'json' };
import { defaultNamespace, deliveryKeyFile } from './names.ts';
import type { DeliveryProof, InstallationSettings, Resources, Scale } from './settings.ts';
import type { DeclaredProcess } from './declared-process.ts';

/** Where published images are. */
export const defaultImagePrefix = 'millrace.dev';

/** The page that the release publishes. */
export const defaultRunbookUrl = `${packageJson.homepage}/docs/runbook.md`;

/** Each process has a user of its own there; `credentials` makes them. */
const withTrialRedis = {
  trialRedis: true,
  ownUrlIsOptional: false,
  sharedUrlIsOptional: true,
};

/** One URL for all has to be there, and may be followed by those of single processes. */
export const withAnotherRedis = {
  trialRedis: false,
  ownUrlIsOptional: true,
  sharedUrlIsOptional: false,
};

/** Brokers cannot sign, and a function that has a key takes signed events only. */
const unsigned: DeliveryProof = { allowUnsigned: 'true', keyFile: '' };

/** An ApiServerSource tells functions of what they can route by themselves. */
export const withApiServerSource = { proofOfWoken: unsigned };

/** The bridge tells every function by a broker; views that it sealed nobody could read. */
export const withContainerSource = { proofOfWoken: unsigned, proof: unsigned };

/** Of the line that is given security fixes longest. */
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

/** Idle it takes 60 to 90 MB; 2,000 flows at once take 420. */
const small: Resources = {
  requests: { cpu: '25m', memory: '96Mi' },
  limits: { cpu: '1', memory: '384Mi' },
};
const large: Resources = {
  requests: { cpu: '50m', memory: '128Mi' },
  limits: { cpu: '2', memory: '1Gi' },
};

/** What is called, or elects a leader, is there twice: one goes on where the other one ends. */
const scales: Readonly<Record<DeclaredProcess['part'], Scale>> = {
  worker: { replicas: 2, minScale: '2', maxScale: '2', resources: large },
  function: { replicas: 1, minScale: '0', maxScale: '10', resources: small },
  admission: { replicas: 2, minScale: '2', maxScale: '4', resources: small },
  keeper: { replicas: 1, minScale: '1', maxScale: '1', resources: small },
};
