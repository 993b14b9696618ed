/** A kubeconfig that points a client at the sandbox; it replaces none of the user's own. */
import { stringify } from 'yaml';

const name = 'millrace-sandbox';

/**
 * YAML text, which holds the token: whoever reads it may do everything. client-node takes a plain
 * HTTP server only where TLS is not verified.
 */
export function kubeconfigFor(url: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
