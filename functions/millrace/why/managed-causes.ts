/** Objects that another controller runs, so Millrace leaves them alone. */
import { governedKindNamed } from '#shared/api/work/governed-kinds.ts';
import { otherController } from '#shared/api/work/managed-by.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Cause, Named } from './explanation.ts';
import { describe, type Surroundings } from './surroundings.ts';
import { queuedCauses } from './workload-causes.ts';

/** Empty: Millrace runs it. */
export async function managedCauses(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const other = otherManagerOf(object);
  if (other === undefined) return [];
  return [
    {
      object: named,
      reason: 'ManagedByOther',
      message: `${other} manages it`,
      source: 'spec.managedBy',
      next: describe(around, named),
      because: await queuedCauses(object, around),
    },
  ];
}

/** Undefined: Millrace runs it. */
export function otherManagerOf({ kind, spec }: KubeObject): string | undefined {
  const { suspension } = governedKindNamed(kind) ?? {};
  return otherController(fieldsOf(spec), suspension?.ownController);
}
