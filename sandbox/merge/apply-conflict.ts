/**
 * The refusal of an apply that would take fields from other managers (apimachinery conflict.go).
 */
import { StatusError } from '../apimachinery/status-error.ts';
import { type FieldSet, pathsOf, pathText } from './field-set.ts';
import type { Ownership } from './managed-fields.ts';

export interface FieldConflict {
  readonly owner: Ownership;
  /** The owner's fields that would change. */
  readonly fields: FieldSet;
}

export function applyConflict(conflicts: readonly FieldConflict[]): StatusError {
  const byOwner = conflicts
    .map(({ owner, fields }) => ({ owner, paths: pathsOf(fields).map(pathText) }))
    .sort((left, right) => (identifier(left.owner) < identifier(right.owner) ? -1 : 1));
  const causes = byOwner.flatMap(({ owner, paths }) =>
    paths.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${ownerText(owner)}`,
      field,
    })),
  );
  const [first] = byOwner;
  const text =
    causes.length === 1 && first
      ? `conflict: conflict with ${ownerText(first.owner)}: ${first.paths.join('')}`
      : `conflicts: ${byOwner.map(listText).join('\n')}`;
  const message = `Apply failed with ${causes.length} ${text}`;
  return new StatusError(409, 'Conflict', message, { causes });
}

function listText({ owner, paths }: { owner: Ownership; paths: readonly string[] }): string {
  return [`conflicts with ${ownerText(owner)}:`, ...paths.map((path) => `- ${path}`)].join('\n');
}

/** The sort key of upstream. */
function identifier({ manager, operation, apiVersion, subresource }: Ownership): string {
  const version = operation === 'Apply' ? {} : { apiVersion };
  return JSON.stringify({ manager, operation, ...version, subresource });
}

function ownerText({ manager = '', operation, apiVersion, subresource = '' }: Ownership): string {
  const name = JSON.stringify(manager);
  const of = subresource === '' ? name : `${name} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${of} using ${apiVersion}` : of;
}
