import type { TObject } from 'typebox';
import type { Admission } from '#shared/admission/admission.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { Resource } from '#shared/domain/objects.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';

/** A resource whose events a function can route without the bridge's indexes. */
export interface Wake {
  readonly resource: Resource;
  /** Only objects with the owner label. */
  readonly isChild: boolean;
}

/** A process as an installation needs it; its manifests derive from this. */
export interface DeclaredProcess {
  /** Also the name of its folder, image, ServiceAccount and role. */
  readonly name: string;
  /**
   * `worker`: it makes requests and serves only probes. `function`: the dispatcher delivers to it.
   * `admission`: the API server calls it. `keeper`: it creates the credentials that the others share.
   */
  readonly part: 'worker' | 'function' | 'admission' | 'keeper';
  readonly access: readonly AccessRule[];
  /** It handles kinds of the cluster, with the rights that administrators allow for them. */
  readonly isAllowedWrapped?: true;
  /** Its rights in Redis. Absent: it does not use Redis. */
  readonly redis?: readonly RedisGrant[];
  /** For a function: the resources that an ApiServerSource can report to it. */
  readonly wokenBy?: readonly Wake[];
  /** For a function: the resources that it decides about. */
  readonly decides?: readonly Resource[];
  /** The schema of its environment. */
  readonly configuration: TObject;
  /** The admissions that it answers; only an admission process has any. */
  readonly admissions?: readonly Admission[];
}

/** Whether the process publishes work for functions, and can do so to a sink of Knative. */
export function isSource(process: DeclaredProcess): boolean {
  return reads(process, 'K_SINK');
}

/** Whether the process reads this variable. It refuses unknown ones. */
export function reads({ configuration }: DeclaredProcess, variable: string): boolean {
  return Object.values(configuration.properties).some((property) => {
    const { env } = property as { readonly env?: readonly string[] };
    return env?.includes(variable) === true;
  });
}
