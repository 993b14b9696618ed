import { annotations } from '#shared/domain/labels.ts';
import type { EventId } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';

/**
 * Adds the causing event's id to every object that the plan creates, so that one id leads from the
 * event through log and journal to the object. It is not part of the decision, because it would
 * make equal decisions differ.
 */
export function stampCause(plan: Plan, cause: EventId): Plan {
  return plan.map((stage) => stage.map((operation) => stampOperation(operation, cause)));
}

function stampOperation(operation: Operation, cause: EventId): Operation {
  if (operation.kind !== 'create') return operation;
  const { object } = operation;
  const stamped = { ...object.metadata.annotations, [annotations.causedBy]: cause };
  return {
    ...operation,
    object: { ...object, metadata: { ...object.metadata, annotations: stamped } },
  };
}
