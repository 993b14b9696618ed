/** A kubeconfig for the sandbox. It does not replace any of the user's own. */
import { stringify } from 'yaml';

const name = 'millrace-sandbox';

export interface SandboxAddress {
  readonly url: string;
  readonly token: string;
  /** The sandbox's certificate, PEM. */
  readonly cert: string;
}

/** YAML text with the token. Whoever can read it may do everything in the sandbox. */
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
