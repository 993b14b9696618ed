/** For the Prometheus operator: scrape targets, and alerts that need a person. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { DeclaredProcess } from './declared-process.ts';
import { manifest, partLabel, partOf } from './names.ts';
import { portName } from './container.ts';
import type { InstallationSettings } from './settings.ts';

const apiVersion = 'monitoring.coreos.com/v1';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
}

const failedReviews = 'millrace_reviews_total{outcome!~"allowed|changed|denied"}';

/** Each has a section in the runbook. */
export const alerts: readonly Alert[] = [
  {
    alert: 'MillraceNoLeader',
    expr: '(max(millrace_bridge_leading) or vector(0)) < 1',
    for: '2m',
    severity: 'critical',
    summary: 'No bridge publishes, so nothing that changes in the cluster is noticed.',
  },
  {
    alert: 'MillraceRedisAway',
    expr: 'time() - (max(millrace_queue_sampled_timestamp_seconds) or vector(0)) > 60',
    for: '1m',
    severity: 'critical',
    summary: 'No dispatcher has reached the queue in Redis for a minute.',
  },
  {
    alert: 'MillraceQueueWaits',
    expr: 'max by (function) (millrace_queue_oldest_wait_seconds) > 300',
    for: '1m',
    severity: 'warning',
    summary: 'Work items of a function wait for more than five minutes.',
  },
  {
    alert: 'MillraceReviewsFail',
    // A new outcome's series begins with its first failure, so it shows no increase.
    expr:
      `sum by (admission) (increase(${failedReviews}[10m])) > 0 or ` +
      `sum by (admission) (${failedReviews} unless ${failedReviews} offset 10m) > 0`,
    for: '0m',
    severity: 'critical',
    summary:
      'An admission could not answer reviews; where it fails closed, creates and updates fail.',
  },
  {
    alert: 'MillraceWorkFails',
    expr:
      'sum by (kind) (increase(millrace_transitions_total{action="Fail"}[30m])) > 5 and ' +
      'sum by (kind) (increase(millrace_transitions_total{action="Fail"}[30m])) > 0.5 * ' +
      'sum by (kind) (increase(millrace_transitions_total{action=~"Fail|Complete"}[30m]))',
    for: '0m',
    severity: 'warning',
    summary:
      'More than five objects of a kind failed within half an hour, and more failed than succeeded.',
  },
  {
    alert: 'MillraceItemsParked',
    expr: 'increase(millrace_parked_total[15m]) > 0',
    for: '0m',
    severity: 'warning',
    summary:
      'An item failed 8 times or was refused; the log line "item was parked" has the reason.',
  },
  {
    alert: 'MillraceClockOff',
    expr: 'abs(millrace_clock_offset_seconds) > 30',
    for: '5m',
    severity: 'warning',
    summary: "A machine's clock differs from that of the API server.",
  },
  {
    alert: 'MillraceCertificateExpires',
    expr: 'millrace_certificate_expiry_timestamp_seconds - time() < 14 * 86400',
    for: '1h',
    severity: 'critical',
    summary: 'The certificate of an admission ends within 14 days and was not renewed.',
  },
  {
    alert: 'MillraceCertificateUnusable',
    expr: 'millrace_certificate_reload_failed > 0',
    for: '10m',
    severity: 'critical',
    summary: 'A new certificate cannot be used; the old one is served until it ends.',
  },
  {
    alert: 'MillraceDeliveriesUnauthenticated',
    expr: 'increase(millrace_http_unauthenticated_total[10m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A function refused deliveries: keys or clocks differ, or another client sends.',
  },
];

/** The runbook section about an alert. `runbookUrl`: address of the page. */
export function runbookOf({ alert }: Pick<Alert, 'alert'>, runbookUrl: string): string {
  return `${runbookUrl}#${alert.toLowerCase()}`;
}

export function monitoring(
  processes: readonly DeclaredProcess[],
  { namespace, runbookUrl }: Pick<InstallationSettings, 'namespace' | 'runbookUrl'>,
): readonly JsonObject[] {
  const metadata = { name: 'millrace', namespace, labels: partOf };
  const secured = { scheme: 'https', tlsConfig: { insecureSkipVerify: true } };
  const ports = [...new Set(processes.map(portName))];
  return [
    manifest(apiVersion, 'PodMonitor', metadata, {
      spec: {
        selector: { matchLabels: partOf },
        podMetricsEndpoints: ports.map((port) => ({
          port,
          path: '/metrics',
          // Metrics are not secret, and the certificate has the Service's name.
          ...(port === 'https' ? secured : {}),
        })),
      },
    }),
    manifest(apiVersion, 'PrometheusRule', metadata, {
      spec: {
        groups: [
          {
            name: 'millrace',
            rules: alerts.map(({ severity, summary, ...rule }) => ({
              ...rule,
              labels: { severity },
              annotations: { summary, runbook_url: runbookOf(rule, runbookUrl) },
            })),
          },
        ],
      },
    }),
    manifest(
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { name: 'metrics', namespace, labels: partOf },
      {
        spec: {
          podSelector: {
            matchExpressions: [{ key: partLabel, operator: 'Exists' }],
          },
          policyTypes: ['Ingress'],
          ingress: [
            {
              from: [
                {
                  namespaceSelector: {
                    matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' },
                  },
                },
              ],
              ports: [{ protocol: 'TCP', port: 8080 }],
            },
          ],
        },
      },
    ),
  ];
}
