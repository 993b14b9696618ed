/** A compiled schema, as the registry keeps it for each kind. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';
import { invalid, isBlocking } from '../apimachinery/cause.ts';
import { compileRules, Findings } from './cel/rules.ts';
import { Correlation } from './correlation.ts';
import { applyDefaults } from './defaults.ts';
import { embeddedCheck } from './embedded-resources.ts';
import type { Faults } from './fault.ts';
import { propertyOf } from './member-schema.ts';
import { duplicateSearch } from './list-types.ts';
import { prune, type Pruned } from './prune.ts';
import type { Schema } from './schema.ts';
import { compileCheck } from './value-validation.ts';

export interface CompiledSchema {
  /** `object`: a whole resource. Returns it without undeclared fields. */
  readonly prune: (object: JsonObject) => Pruned;
  /** Returns `object` with its defaults. The same reference when nothing changes. */
  readonly applyDefaults: (object: JsonObject) => JsonObject;
  /**
   * Faults of a whole resource in the API server's words, without metadata. With `old` it is an
   * update: faults of unchanged parts are forgiven, and transition rules run. `part` `status`: only
   * the status is checked by value, as for a write to the status subresource. Rules run on the
   * whole object.
   */
  readonly validate: (
    object: JsonObject,
    old?: JsonObject,
    part?: 'status',
  ) => readonly StatusCause[];
}

/**
 * Throws StatusError 501 for a pattern or rule that the sandbox cannot evaluate as the API server
 * does. So a CustomResourceDefinition must be compiled when it is registered.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  const whole = compileCheck(schema);
  const statusSchema = propertyOf(schema, 'status');
  const status = statusSchema && compileCheck(statusSchema);
  const embedded = embeddedCheck(withoutOwnEmbedding(schema));
  const duplicates = duplicateSearch(schema);
  const rules = compileRules(schema, true);

  const byValue = (
    object: JsonObject,
    correlation: Correlation | undefined,
    part: 'status' | undefined,
  ) => {
    const faults: Faults = [];
    if (part === undefined) {
      whole(object, '', correlation, faults);
      if (correlation && faults.length > 0 && correlation.same) faults.length = 0;
    } else if (object['status'] !== undefined) {
      const ofStatus = correlation?.member('status');
      if (ofStatus === undefined || ofStatus.value !== ofStatus.old) {
        status?.(object['status'], '', ofStatus, faults);
        if (faults.length > 0 && ofStatus?.same === true) faults.length = 0;
      }
    }
    return faults.map((fault) => fault.toCause(part ?? ''));
  };

  return {
    prune: (object) => prune(object, schema),
    applyDefaults: (object) => applyDefaults(object, schema),
    validate: (object, old, part) => {
      const correlation = old && new Correlation(object, old, schema);
      const causes = byValue(object, correlation, part);
      if (part === undefined) embedded?.(object, '', causes);
      if (duplicates) {
        const found: StatusCause[] = [];
        duplicates(object, '', found);
        const before: StatusCause[] = [];
        if (found.length > 0 && old) duplicates(old, '', before);
        if (before.length === 0) causes.push(...found);
      }
      if (!rules) return causes;
      if (causes.some(isBlocking)) causes.push(invalid('', null, notChecked));
      else {
        const subject = { value: object, old, correlation, enclosing: undefined };
        rules.check(subject, '', new Findings(causes));
      }
      return causes;
    },
  };
}

const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

function withoutOwnEmbedding(schema: Schema): Schema {
  return { ...schema, 'x-kubernetes-embedded-resource': false };
}
