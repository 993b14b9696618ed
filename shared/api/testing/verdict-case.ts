/** Builders for the table of objects that Millrace's validator and the API server must judge alike. */

/** JSON that may be wrong on purpose. */
export type Loose = Readonly<Record<string, unknown>>;

export interface VerdictCase {
  /** The rule, as a sentence about the object. */
  readonly rule: string;
  readonly object: Loose;
  /** Path of a fault; absent if the object is valid. */
  readonly faultAt?: string;
  /** Set if the API server judges a server-side apply in the opposite way. */
  readonly otherwiseAppliedServerSide?: true;
}

export const podSpec = { containers: [{ name: 'main', image: 'busybox:1.28' }] };
export const jobTemplate = { template: { spec: podSpec } };

export const step = (name: unknown, extra: Loose = {}): Loose => ({ name, jobTemplate, ...extra });

/** A step whose template is the given JobSpec. */
export const stepOf = (template: unknown, extra: Loose = {}): Loose => ({
  name: 'a',
  jobTemplate: template,
  ...extra,
});

export const flow = (spec: unknown, metadata: Loose = { name: 'example' }): Loose => ({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata,
  spec,
});

export const template = (spec: unknown, name = 'example'): Loose => ({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobTemplate',
  metadata: { name },
  spec,
});

export const daemonJob = (spec: unknown, metadata: Loose = { name: 'example' }): Loose => ({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'DaemonJob',
  metadata,
  spec,
});

/** A DaemonJob with a valid template and these fields of the spec. */
export const withDaemonJobSpec = (extra: Loose): Loose => daemonJob({ ...jobTemplate, ...extra });

export const good = (rule: string, object: Loose): VerdictCase => ({ rule, object });
export const bad = (rule: string, faultAt: string, object: Loose): VerdictCase => ({
  rule,
  object,
  faultAt,
});

/** Kubernetes 1.36: a merge drops nulls, and prunes unknown fields instead of refusing them. */
export const otherwiseAppliedServerSide = (entry: VerdictCase): VerdictCase => ({
  ...entry,
  otherwiseAppliedServerSide: true,
});

/** A flow of one valid step and these fields of the spec. */
export const withSpec = (extra: Loose): Loose => flow({ flows: [step('a')], ...extra });
export const withGlobalParams = (globalParams: unknown): Loose => withSpec({ globalParams });
/** A flow whose one step has these fields. */
export const withStep = (extra: Loose): Loose => flow({ flows: [step('a', extra)] });
export const withTemplate = (spec: unknown): Loose => flow({ flows: [stepOf(spec)] });
