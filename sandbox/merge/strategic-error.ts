/** Errors of a strategic merge patch with the API server's codes (apimachinery mergepatch/errors.go). */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { badRequest, StatusError } from '../apimachinery/status-error.ts';
import { goPrint } from '../apimachinery/go-text.ts';

export function badPatch(
  of: 'primitive list' | 'retainKeys' | 'setElementOrder list',
): StatusError {
  return badRequest(`invalid patch format of ${of}`);
}

export function listsOfLists(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError(422, 'Invalid', message, {});
}

export function cannotMerge(message: string): StatusError {
  return new StatusError(500, '', message);
}

export function noMergeKey(item: JsonObject, key: string): StatusError {
  return cannotMerge(`map: ${goPrint(item)} does not contain declared merge key: ${key}`);
}

export function badDirective(directive: Json, patch: JsonObject): StatusError {
  return cannotMerge(`unknown patch type: ${goPrint(directive)} in map: ${goPrint(patch)}`);
}
