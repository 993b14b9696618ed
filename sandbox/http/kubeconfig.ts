/** A kubeconfig that points a client at the sandbox; it replaces none of the user's own. */
import { stringify } from 'yaml';

const name = 'millrace-sandbox';

export interface SandboxAddress {
  readonly url: string;
  readonly token: string;
  /** PEM of the sandbox's certificate. */
  readonly cert: string;
}

/** YAML text, which holds the token: a reader of it may do everything. */
export function kubeconfigFor({ url, token, cert }: SandboxAddress): string {
  const authority = Buffer.from(cert).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
