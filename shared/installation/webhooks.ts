import type { JsonObject } from '#shared/domain/objects.ts';
import { webhookConfigurations } from '#shared/admission/webhook-configuration.ts';
import type { Reach } from './access.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { certificateSecret, partOf, webhookConfigurationName, webhookService } from './names.ts';
import { manifest } from './names.ts';

/**
 * The configurations by which the API server calls the admissions of a process. `credentials` adds the secret path
 * later. `credentials` or cert-manager adds the trusted authority. Applying the manifest again keeps both.
 */
export function webhooksOf(
  process: DeclaredProcess,
  { namespace, namespaced }: Reach,
  injectedByCertManager = false,
): readonly JsonObject[] {
  const { name, admissions = [] } = process;
  const service = { namespace, name: webhookService(name), port: 443 };
  const annotations = injectedByCertManager
    ? {
        annotations: {
          'cert-manager.io/inject-ca-from': `${namespace}/${certificateSecret(name)}`,
        },
      }
    : {};
  return webhookConfigurations(admissions, {
    metadata: { name: webhookConfigurationName(name), labels: partOf, ...annotations },
    own: namespace,
    ...(namespaced ? { namespace } : {}),
    clientConfigOf: () => ({ service }),
  });
}

/** For cert-manager: one authority for the namespace, and each process's certificate. */
export function certManagerObjects(
  admissionProcesses: readonly DeclaredProcess[],
  namespace: string,
): readonly JsonObject[] {
  const issuer = 'millrace-authority';
  const selfSigned = 'millrace-self-signed';
  const apiVersion = 'cert-manager.io/v1';
  const certificate = (name: string, spec: JsonObject): JsonObject =>
    manifest(
      apiVersion,
      'Certificate',
      { name, namespace, labels: partOf },
      { spec: { secretName: name, privateKey: { algorithm: 'ECDSA', size: 256 }, ...spec } },
    );
  const issuerOf = (name: string, spec: JsonObject): JsonObject =>
    manifest(apiVersion, 'Issuer', { name, namespace, labels: partOf }, { spec });
  return [
    issuerOf(selfSigned, { selfSigned: {} }),
    certificate(issuer, {
      isCA: true,
      commonName: issuer,
      issuerRef: { kind: 'Issuer', name: selfSigned },
    }),
    issuerOf(issuer, { ca: { secretName: issuer } }),
    ...admissionProcesses.map(({ name }) =>
      certificate(certificateSecret(name), {
        dnsNames: [`${webhookService(name)}.${namespace}.svc`],
        issuerRef: { kind: 'Issuer', name: issuer },
      }),
    ),
  ];
}
