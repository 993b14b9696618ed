import type { TObject } from 'typebox';
import type { Admission } from '#shared/admission/admission.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { Resource } from '#shared/domain/objects.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';

/** A resource whose events a function can route by itself, without what only the bridge knows. */
export interface Wake {
  readonly resource: Resource;
  /** Only what carries the owner label. */
  readonly isChild: boolean;
}

/** All that an installation needs to know of a process; its manifests derive from it. */
export interface DeclaredProcess {
  /** Also of its folder, image, ServiceAccount and role. */
  readonly name: string;
  /**
   * `worker`: it asks and nobody asks it, but for probes. `function`: the dispatcher delivers to it.
   * `admission`: the API server calls it. `keeper`: it makes what the others need to know one another.
   */
  readonly part: 'worker' | 'function' | 'admission' | 'keeper';
  readonly access: readonly AccessRule[];
  /** It deals with kinds that a cluster brings, and is allowed what administrators allow for them. */
  readonly isAllowedWrapped?: true;
  /** What it does in Redis; absent: nothing, and it is no user there. */
  readonly redis?: readonly RedisGrant[];
  /** Of a function: what an ApiServerSource can send it. */
  readonly wokenBy?: readonly Wake[];
  /** Of a function: what it decides about. */
  readonly decides?: readonly Resource[];
  /** What it reads of its environment. */
  readonly configuration: TObject;
  /** Those that it answers; only an admission process has any. */
  readonly admissions?: readonly Admission[];
}

/** Whether the process publishes what functions are to look at, also to a sink that Knative names to it. */
export function isSource(process: DeclaredProcess): boolean {
  return reads(process, 'K_SINK');
}

/** Whether the process reads this variable: what it does not know it refuses. */
export function reads({ configuration }: DeclaredProcess, variable: string): boolean {
  return Object.values(configuration.properties).some((property) => {
    const { env } = property as { readonly env?: readonly string[] };
    return env?.includes(variable) === true;
  });
}
