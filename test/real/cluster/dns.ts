import type { JsonObject } from '#shared/domain/objects.ts';
import { dnsImage } from './images.ts';
import { networks } from './node-files.ts';

const metadata = { name: 'coredns', namespace: 'kube-system' };
const rbac = 'rbac.authorization.k8s.io';

const corefile = `.:53 {
  errors
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  cache 5
  reload
}
`;

/** Names within the cluster; there are no others. */
export const dnsManifests: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: metadata.name },
    rules: [
      {
        apiGroups: [''],
        resources: ['endpoints', 'services', 'pods', 'namespaces'],
        verbs: ['list', 'watch'],
      },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: metadata.name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: corefile } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      selector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      template: {
        metadata: { labels: { 'k8s-app': 'kube-dns' } },
        spec: {
          serviceAccountName: metadata.name,
          dnsPolicy: 'Default',
          containers: [
            {
              name: metadata.name,
              image: dnsImage,
              args: ['-conf', '/etc/coredns/Corefile'],
              volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns', readOnly: true }],
              readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
              securityContext: { runAsUser: 0 },
            },
          ],
          volumes: [{ name: 'configuration', configMap: { name: metadata.name } }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system' },
    spec: {
      clusterIP: networks.dns,
      selector: { 'k8s-app': 'kube-dns' },
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  },
];
