import { stringify } from 'yaml';

export interface KubeconfigFacts {
  readonly server: string;
  /** The certificate authority, PEM. */
  readonly ca: string;
  readonly user: string;
  readonly token: string;
}

const name = 'millrace-test';

/** A kubeconfig that needs no other file. */
export function kubeconfig({ server, ca, user, token }: KubeconfigFacts): string {
  const authority = Buffer.from(ca).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
    'current-context': name,
  });
}
