/**
 * Every error that Millrace raises on purpose. Code branches on `code` or `class`, never on message
 * text.
 */
import { ownMember } from './own-member.ts';

export type ErrorClass =
  /** Trying again does not help: the input or the configuration has to change. */
  | 'terminal'
  /** The cause may pass: try again later. */
  | 'retryable'
  /** The state has changed: read again and decide again. */
  | 'conflict';

interface ErrorDefinition {
  readonly class: ErrorClass;
  /** Says what happened, with {placeholders} for the fields. */
  readonly message: string;
  /** The next step for the user. */
  readonly next: string;
}

export const errorTable = {
  MR_CONFIG_INVALID: {
    class: 'terminal',
    message: 'the configuration has faults: {faults}',
    next: 'correct every setting that is named and start again',
  },
  MR_PORT_IN_USE: {
    class: 'terminal',
    message: 'port {port} of this machine is in use',
    next: 'pass another one with --port, or --port 0 for a free one',
  },
  MR_KUBECONFIG_UNUSABLE: {
    class: 'terminal',
    message: 'no usable cluster configuration at {path}: {detail}',
    next: 'pass --kubeconfig FILE or set KUBECONFIG; `millrace up` starts a cluster to try things on',
  },
  MR_CLUSTER_UNKNOWN: {
    class: 'terminal',
    message:
      'the uid of the cluster, which every key in Redis contains, is unknown: MILLRACE_CLUSTER_UID is not set, and {detail}',
    next: 'set KUBECONFIG, or MILLRACE_CLUSTER_UID to what `kubectl get namespace kube-system -o jsonpath={.metadata.uid}` prints',
  },
  MR_CRDS_MISSING: {
    class: 'terminal',
    message: 'the cluster does not serve {resources}',
    next: 'run `npx millrace crds | kubectl apply --server-side -f -`, then start again',
  },
  MR_RIGHTS_MISSING: {
    class: 'terminal',
    message: 'the user of the kubeconfig lacks these rights in the cluster: {rights}',
    next: 'grant them: `kubectl apply -k deploy/rbac` brings the roles, and a ClusterRoleBinding for each gives them to the user; or pass another kubeconfig or context',
  },
  MR_API_UNREACHABLE: {
    class: 'retryable',
    message: '{verb} {path}: no answer from the API server: {detail}',
    next: 'check that the API server runs and that the address in the kubeconfig is right',
  },
  MR_API_RETRYABLE: {
    class: 'retryable',
    message: '{verb} {path}: the API server answered {status} {reason}: {detail}',
    next: 'a running process tries again by itself; when a start fails, start again once the API server works',
  },
  MR_API_CONFLICT: {
    class: 'conflict',
    message: '{verb} {path}: {reason}: {detail}',
    next: 'nothing: the object is read again and decided again',
  },
  MR_API_GONE: {
    class: 'retryable',
    message: '{verb} {path}: the resourceVersion is too old: {detail}',
    next: 'nothing: everything is listed again',
  },
  MR_API_STALE: {
    class: 'retryable',
    message:
      'list {path}: the list has version {version}, which is older than the known version {known} ({refusals} lists refused in a row)',
    next: 'nothing: the list is requested again. An API server that lags behind catches up; after a restore of etcd, lists are accepted within minutes',
  },
  MR_API_FORBIDDEN: {
    class: 'terminal',
    message: '{verb} {path}: forbidden: {detail}',
    next: 'grant the permission to the service account that is named',
  },
  MR_API_INVALID: {
    class: 'terminal',
    message: '{verb} {path}: the API server refused it: {detail}',
    next: 'correct what is named, and try again',
  },
  MR_API_NOT_FOUND: {
    class: 'terminal',
    message: '{verb} {path}: not found: {detail}',
    next: 'check the name and the namespace',
  },
  MR_API_TOO_LARGE: {
    class: 'terminal',
    message: '{verb} {path}: larger than the API server accepts: {detail}',
    next: 'make the object smaller; a JobFlow: fewer steps, smaller templates, or templatePolicy ResolveAtStep',
  },
  MR_API_DENIED: {
    class: 'terminal',
    message: '{verb} {path}: an admission of the cluster denied the request: {detail}',
    next: 'do what the webhook or policy that is named demands, or ask an administrator to change it',
  },
  MR_API_REFUSED: {
    class: 'terminal',
    message: '{verb} {path}: the API server answered {status} {reason}: {detail}',
    next: 'see the reason that the API server gives',
  },
  MR_QUEUE_UNAVAILABLE: {
    class: 'retryable',
    message: 'Redis at {address} does not answer: {detail}',
    next: 'check that Redis runs and that its URL is right; running Jobs continue',
  },
  MR_SINK_UNAVAILABLE: {
    class: 'retryable',
    message: 'the sink at {address} did not take an event: {detail}',
    next: 'check that the address in K_SINK or MILLRACE_EVENTS_TO is ready (for a broker: `kubectl get broker -A`) and that the network lets the bridge reach it; if it answers, its log names the subscriber that fails. Nothing is lost: the event is sent again',
  },
  MR_REDIS_INSECURE: {
    class: 'terminal',
    message:
      'Redis at {address} is on another machine and would be reached without TLS: an attacker between the two could read the password and change the work',
    next: 'use a rediss:// URL; if the network protects the connection, set MILLRACE_REDIS_INSECURE=true, or pass --redis-insecure to `millrace run` and `millrace up`',
  },
  MR_EVENT_MALFORMED: {
    class: 'terminal',
    message: 'not a valid CloudEvent: {detail}',
    next: 'send a CloudEvent 1.0 in binary or structured mode',
  },
  MR_EVENT_UNROUTABLE: {
    class: 'terminal',
    message: '{function} does not take events of type {type}',
    next: 'subscribe the function only to the types that its documentation lists',
  },
  MR_DELIVERY_UNAUTHENTICATED: {
    class: 'terminal',
    message: 'the sender of the delivery is not proven: {detail}',
    next: 'give dispatcher and function the same MILLRACE_DELIVERY_KEY, and set the clocks of both',
  },
  MR_DELIVERY_KEY_INVALID: {
    class: 'terminal',
    message: 'no usable delivery key in {source}: {detail}',
    next: 'make one with `echo "whsec_$(openssl rand -base64 32)"` and give it to the dispatcher and every function',
  },
  MR_DELIVERY_KEY_MISSING: {
    class: 'terminal',
    message:
      'the process would listen on {host}, for other machines, without a delivery key: every client that reaches this address could send events',
    next: 'set MILLRACE_DELIVERY_KEY or MILLRACE_DELIVERY_KEY_FILE here and in the dispatcher, or MILLRACE_HOST=127.0.0.1; if the network lets only the senders in, set MILLRACE_ALLOW_UNSIGNED=true',
  },
  MR_REVIEW_MALFORMED: {
    class: 'terminal',
    message: 'not an AdmissionReview that this process can answer: {detail}',
    next: 'let only the API server call the webhook, with admissionReviewVersions: ["v1"]',
  },
  MR_REVIEW_UNEXPECTED: {
    class: 'terminal',
    message: '{admission} does not review {detail}',
    next: 'correct the rules of the webhook configuration: they ask for more than the admission declares',
  },
  MR_REVIEW_LATE: {
    class: 'retryable',
    message: '{admission} did not decide within {budgetMs} ms',
    next: 'check that the API server answers the reads of the webhook, and that its process is not starved of CPU',
  },
  MR_REVIEW_UNRECORDED: {
    class: 'retryable',
    message:
      'the annotation {annotation} must name {user}, who submits this object, but was not written in time',
    next: 'apply it again; when it happens often, check that the process of flow-admission answers within 9 s',
  },
  MR_REVIEW_TOKEN_INVALID: {
    class: 'terminal',
    message: 'no token of reviews in {file}: {detail}',
    next: 'let credentials make the Secret millrace-reviews, and mount its key token',
  },
  MR_CERTIFICATE_UNUSABLE: {
    class: 'terminal',
    message: 'no usable certificate and key in {certFile} and {keyFile}: {detail}',
    next: 'write a certificate of the webhook and its key there, as PEM; files that are replaced later are read again',
  },
  MR_CLUSTER_CHANGED: {
    class: 'terminal',
    message:
      'another cluster answers at the address of the API server: its namespace kube-system has the uid {found}, not {expected}',
    next: 'nothing, if this is intended: the process ends so that it is restarted for that cluster; otherwise correct the address',
  },
  MR_NO_PROGRESS: {
    class: 'terminal',
    message: 'items have been waiting in {queue} for {seconds} s and none has finished',
    next: 'nothing: the process ends so that it is restarted',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorTable;

export interface ErrorOptions {
  readonly cause?: unknown;
  /** The server asked to wait this long, in milliseconds. */
  readonly retryAfterMs?: number;
}

export class MillraceError extends Error {
  override readonly name = 'MillraceError';
  readonly code: ErrorCode;
  readonly fields: Readonly<Record<string, string | number>>;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    fields: Readonly<Record<string, string | number>>,
    options: ErrorOptions = {},
  ) {
    super(render(errorTable[code].message, fields), { cause: options.cause });
    this.code = code;
    this.fields = fields;
    this.retryAfterMs = options.retryAfterMs;
  }

  get class(): ErrorClass {
    return errorTable[this.code].class;
  }

  /** The next step for the user. */
  get next(): string {
    return errorTable[this.code].next;
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is MillraceError {
  return error instanceof MillraceError && error.code === code;
}

export function errorClassOf(error: unknown): ErrorClass {
  return error instanceof MillraceError ? error.class : 'retryable';
}

/** Each template, split at its first use: text, name, text, name, text. */
const templates = new Map<string, readonly string[]>();

function render(template: string, fields: Readonly<Record<string, string | number>>): string {
  let parts = templates.get(template);
  if (parts === undefined) {
    parts = template.split(/\{(\w+)\}/);
    templates.set(template, parts);
  }
  let text = '';
  parts.forEach((part, index) => {
    text += index % 2 === 0 ? part : String(ownMember(fields, part) ?? `{${part}}`);
  });
  return text;
}
