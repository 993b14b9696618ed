/** `allOf`, `anyOf`, `oneOf` and `not` (kube-openapi validate/schema_props.go). */
import type { Json } from '#shared/domain/objects.ts';
import { placelessFault, report, type Faults } from './fault.ts';
import { goQuote } from '../apimachinery/go-text.ts';
import type { Schema } from './schema.ts';

type Check = (value: Json, path: string, correlation: undefined, faults: Faults) => number;
type Composition = (value: Json, path: string, faults: Faults) => number;

interface Outcome {
  readonly faults: Faults;
  readonly held: number;
}

/** Within a composition no fault is forgiven. */
export function compositionCheck(schema: Schema, compile: (schema: Schema) => Check): Composition {
  const parts = [
    anyOfCheck((schema.anyOf ?? []).map(compile)),
    oneOfCheck((schema.oneOf ?? []).map(compile)),
    allOfCheck((schema.allOf ?? []).map(compile)),
    notCheck(schema.not && compile(schema.not)),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return () => 1;
  return (value, path, faults) => parts.reduce((held, part) => held + part(value, path, faults), 1);
}

function anyOfCheck(checks: readonly Check[]): Composition | undefined {
  if (checks.length === 0) return undefined;
  return (value, path, faults) => {
    let best: Outcome | undefined;
    for (const check of checks) {
      const outcome = tried(check, value, path);
      if (outcome.faults.length === 0) return outcome.held;
      best = moreTelling(best, outcome);
    }
    const text = `${goQuote(path)} must validate at least one schema (anyOf)`;
    report(faults, placelessFault(text));
    return merge(best, faults);
  };
}

function oneOfCheck(checks: readonly Check[]): Composition | undefined {
  if (checks.length === 0) return undefined;
  return (value, path, faults) => {
    let best: Outcome | undefined;
    const valid: Outcome[] = [];
    for (const check of checks) {
      const outcome = tried(check, value, path);
      if (outcome.faults.length === 0) valid.push(outcome);
      else best = moreTelling(best, outcome);
    }
    if (valid.length === 1) return valid[0]?.held ?? 0;
    const found =
      valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
    const text = `${goQuote(path)} must validate one and only one schema (oneOf). ${found}`;
    report(faults, placelessFault(text));
    return valid.length === 0 ? merge(best, faults) : 0;
  };
}

function allOfCheck(checks: readonly Check[]): Composition | undefined {
  if (checks.length === 0) return undefined;
  return (value, path, faults) => {
    let held = 0;
    let valid = 0;
    for (const check of checks) {
      const outcome = tried(check, value, path);
      if (outcome.faults.length === 0) valid += 1;
      held += merge(outcome, faults);
    }
    if (valid < checks.length) {
      const none = valid === 0 ? '. None validated' : '';
      report(
        faults,
        placelessFault(`${goQuote(path)} must validate all the schemas (allOf)${none}`),
      );
    }
    return held;
  };
}

function notCheck(check: Check | undefined): Composition | undefined {
  if (check === undefined) return undefined;
  return (value, path, faults) => {
    if (tried(check, value, path).faults.length === 0) {
      report(faults, placelessFault(`${goQuote(path)} must not validate the schema (not)`));
    }
    return 0;
  };
}

function tried(check: Check, value: Json, path: string): Outcome {
  const faults: Faults = [];
  return { held: check(value, path, undefined, faults), faults };
}

function moreTelling(best: Outcome | undefined, next: Outcome): Outcome {
  return best === undefined || next.held > best.held ? next : best;
}

function merge(outcome: Outcome | undefined, faults: Faults): number {
  for (const fault of outcome?.faults ?? []) report(faults, fault);
  return outcome?.held ?? 0;
}
