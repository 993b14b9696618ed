import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { Decide } from '#shared/domain/decision.ts';
import type { ObjectKey } from '#shared/domain/objects.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { ResourceKind } from '#shared/domain/resources.ts';
import type { FunctionName } from '#shared/events/routes.ts';
import type { Reader } from '#shared/kube/reader.ts';

export type { Rejection };

/** A function as data: `function.ts` of each folder exports one. */
export interface EventFunction<Snapshot = unknown> {
  readonly name: FunctionName;
  /** The kind of object it decides about. */
  readonly decides: ResourceKind;
  readonly access: readonly AccessRule[];
  /** The only reads. Undefined: the object is gone or is another one under the same name. */
  readonly observe: (key: ObjectKey, reader: Reader) => Promise<Snapshot | undefined>;
  readonly decide: Decide<Snapshot>;
  /** The snapshot with what the API server just refused, for one more decision. */
  readonly withRejections: (snapshot: Snapshot, rejections: readonly Rejection[]) => Snapshot;
  /** The snapshot with what the API server just lost of created objects, for one more decision. */
  readonly withWarnings: (snapshot: Snapshot, warnings: readonly WriteWarning[]) => Snapshot;
}
