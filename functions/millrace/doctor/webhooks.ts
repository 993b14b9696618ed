/** Whether the API server calls the admissions and trusts their certificates, and for how long. */
import { X509Certificate } from 'node:crypto';
import { processes } from '#functions/processes.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { certificateSecret, partOf } from '#shared/installation/names.ts';
import { isReached } from '../webhooks/reach.ts';
import {
  failure,
  type Finding,
  kubectl,
  millrace,
  ok,
  type Patient,
  skipped,
  warning,
} from './examination.ts';

/** The same time as in the alert MillraceCertificateExpires. */
const soonMs = 14 * 86_400_000;
const onePem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

export async function examineWebhooks(patient: Patient): Promise<readonly Finding[]> {
  if (patient.way === 'up') return [];
  const configurations = await registered(patient);
  if (patient.way === 'absent' && configurations.length === 0) return [];
  const certificates =
    patient.way === 'pods'
      ? await Promise.all(
          processes
            .filter(({ part }) => part === 'admission')
            .map(({ name }) => certificateOf(name, configurations, patient)),
        )
      : [];
  return [...certificates.flat(), await reached(patient)];
}

async function registered({ client }: Patient): Promise<readonly KubeObject[]> {
  const { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } = resources;
  const labelSelector = `app.kubernetes.io/part-of=${partOf['app.kubernetes.io/part-of']}`;
  const lists = await Promise.all(
    [MutatingWebhookConfiguration, ValidatingWebhookConfiguration].map((resource) =>
      client.list(resource, { labelSelector }),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

async function certificateOf(
  name: string,
  configurations: readonly KubeObject[],
  patient: Patient,
): Promise<readonly Finding[]> {
  const about = `webhooks of ${name}`;
  const restart = kubectl(patient, 'rollout restart deployment/credentials');
  const own = configurations.filter(({ metadata }) => metadata.name === `millrace-${name}`);
  if (own.length === 0) {
    return [failure(about, 'are not registered', millrace(patient, 'upgrade'))];
  }
  const configs = own
    .flatMap((each) => listOf(fieldsOf(each)['webhooks']))
    .map((webhook) => fieldsOf(fieldsOf(webhook)['clientConfig']));
  if (configs.some(({ service }) => fieldsOf(service)['path'] === undefined)) {
    return [failure(about, 'have no path of reviews, which credentials writes', restart)];
  }
  const bundles = configs.map(({ caBundle }) => (typeof caBundle === 'string' ? caBundle : ''));
  if (bundles.includes('')) {
    return [
      failure(about, 'have no caBundle, so the API server does not trust the webhook', restart),
    ];
  }
  return [await trustIn(name, [...new Set(bundles)], patient)];
}

async function trustIn(
  name: string,
  bundles: readonly string[],
  patient: Patient,
): Promise<Finding> {
  const { client, namespace, nowMs } = patient;
  const about = `certificate of ${name}`;
  const secret = certificateSecret(name);
  const renew = kubectl(patient, `delete secret ${secret}`);
  let served: X509Certificate | undefined;
  try {
    const found = await client.get(resources.Secret, { namespace, name: secret });
    const text = fieldsOf(fieldsOf(found)['data'])['tls.crt'];
    served = certificatesIn(typeof text === 'string' ? text : '')[0];
  } catch (error) {
    if (!hasCode(error, 'MR_API_FORBIDDEN')) throw error;
    return skipped(about, `you may not read the Secret ${secret}`);
  }
  if (served === undefined) return failure(about, `is not in the Secret ${secret}`, renew);
  const end = served.validToDate;
  const date = end.toISOString().slice(0, 10);
  if (end.getTime() <= nowMs()) return failure(about, `ended on ${date}`, renew);
  if (!bundles.every((bundle) => isTrusted(served, certificatesIn(bundle), nowMs()))) {
    return failure(
      about,
      'is not one that the caBundle of its webhooks trusts',
      kubectl(patient, 'rollout restart deployment/credentials'),
    );
  }
  if (end.getTime() - nowMs() < soonMs) {
    return warning(about, `ends on ${date}, and was not renewed`, renew);
  }
  return ok(about, `is trusted, and valid until ${date}`);
}

/** `base64`: encoded PEM. Parts that are no certificate are left out. */
function certificatesIn(base64: string): readonly X509Certificate[] {
  const pems = Buffer.from(base64, 'base64').toString().match(onePem) ?? [];
  return pems.flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

function isTrusted(
  served: X509Certificate,
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  return authorities
    .filter(({ validToDate }) => validToDate.getTime() > nowMs)
    .some(
      (each) =>
        each.fingerprint256 === served.fingerprint256 ||
        (served.checkIssued(each) && served.verify(each.publicKey)),
    );
}

/** Tried with a dry-run flow: after a review it has the annotation of its submitter. */
async function reached(patient: Patient): Promise<Finding> {
  const about = 'flow-admission';
  const { cluster, chosen, namespace, way } = patient;
  const within = chosen?.namespaced === true ? namespace : 'default';
  const isAsked = await isReached(patient.client, within, new AbortController().signal);
  if (isAsked === undefined) return skipped(about, 'you may not create JobFlows');
  if (isAsked) return ok(about, 'the API server asks it about new flows');
  const detail = 'the API server does not reach it, so new flows are refused or create no Job';
  if (way === 'pods') {
    return failure(about, detail, kubectl(patient, 'rollout restart deployment/flow-admission'));
  }
  return failure(
    about,
    `${detail}; a \`millrace run\` that was killed may have left the webhooks behind`,
    `${cluster.kubectl} delete mutatingwebhookconfigurations,validatingwebhookconfigurations -l app.kubernetes.io/managed-by=millrace`,
  );
}
