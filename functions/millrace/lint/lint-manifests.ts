/** Judges manifests without a cluster, with the code that CRDs and admission use. */
import { appWrapperKind, type AppWrapperSpec } from '#shared/api/app-wrapper.ts';
import { unknownAnnotation } from '#shared/api/annotation-faults.ts';
import type { Fault, Verdict } from '#shared/api/fault.ts';
import { objectSchema } from '#shared/api/object-schema.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import { schemaCheck } from '#shared/api/schema-faults.ts';
import { asCreated, validateJobTemplate } from '#shared/api/validate.ts';
import type { Child, KnownTemplates, Submission } from '#shared/api/work/submission/submission.ts';
import { workKinds } from '#shared/api/work/work-kinds.ts';
import { judgeComponent } from '#shared/api/wrapped/component-faults.ts';
import { fieldsOf, isObject, listOf, textOf } from '#shared/domain/json-value.ts';
import { isUnknownAnnotation } from '#shared/domain/labels.ts';
import {
  apiVersionOf,
  type Json,
  type JsonObject,
  type NewObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { type Breach, breachesOf, breachWords, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { breachesIn } from '#shared/policy/pod-templates.ts';
import { everyFault } from './every-fault.ts';
import { misnamed } from './misnamed.ts';
import { templateFaults } from './template-faults.ts';
import { validatedKinds } from '../validated-kinds.ts';
import type { Manifest, ReadManifests } from '../manifests/manifests.ts';
import type { Position } from '../manifests/positions.ts';

export interface LintFinding extends Position {
  readonly file: string;
  readonly severity: 'error' | 'warning';
  /** For example `JobFlow/hello`. Empty if the text itself cannot be read. */
  readonly object: string;
  readonly path: string;
  readonly message: string;
}

export interface Linted {
  readonly findings: readonly LintFinding[];
  /** Number of judged objects. */
  readonly judged: number;
  /** Objects of foreign kinds, such as `Deployment/web`. */
  readonly skipped: readonly string[];
}

/** The errors in a manifest, and the settings that are probably unintended. */
interface Judgement {
  readonly errors: readonly Fault[];
  readonly warnings: readonly Fault[];
}

interface LintedKind {
  readonly resource: Resource;
  readonly validate: (manifest: Json) => Verdict<unknown>;
}

const wrapperCheck = schemaCheck(objectSchema(appWrapperKind));

const lintedKinds: readonly LintedKind[] = [
  ...validatedKinds,
  {
    resource: resources.AppWrapper,
    validate: (manifest) => {
      const faults = wrapperCheck.faults(wrapperCheck.normalize(manifest));
      const [first, ...rest] = faults.length > 0 ? faults : componentFaults(manifest);
      return first === undefined
        ? { ok: true, value: manifest }
        : { ok: false, faults: [first, ...rest] };
    },
  },
];

/** A flow may name a JobTemplate of any of the files. */
export function lintManifests(
  { files, manifests, unreadable }: ReadManifests,
  policy: PodPolicy,
): Linted {
  const templates = templatesIn(manifests);
  const findings: LintFinding[] = unreadable.map((each) => ({
    ...{ ...each, severity: 'error', object: '', path: '' },
  }));
  const skipped: string[] = [];
  let judged = 0;
  for (const { file, value, positionOf } of manifests) {
    const kind = lintedKinds.find(({ resource }) => isOfKind(value, resource));
    const judgement =
      kind === undefined ? misnaming(value) : judge(kind, value as JsonObject, templates, policy);
    if (judgement === undefined) {
      skipped.push(calledOf(value));
      continue;
    }
    judged += 1;
    const { errors, warnings } = judgement;
    const add = (severity: LintFinding['severity']) => (fault: Fault) => {
      const position = positionOf(fault.path);
      findings.push({ file, ...position, severity, object: calledOf(value), ...fault });
    };
    errors.forEach(add('error'));
    warnings.forEach(add('warning'));
  }
  return { findings: findings.sort(byPlace(files)), judged, skipped };
}

function misnaming(manifest: Json): Judgement | undefined {
  const fault = misnamed(
    manifest,
    lintedKinds.map(({ resource }) => resource),
  );
  return fault === undefined ? undefined : { errors: [fault], warnings: [] };
}

function templatesIn(manifests: readonly Manifest[]): KnownTemplates {
  const found = manifests.flatMap(({ value }): readonly (readonly [string, JobSpec])[] => {
    if (!isOfKind(value, resources.JobTemplate)) return [];
    const verdict = validateJobTemplate(value);
    if (!verdict.ok) return [];
    return [[verdict.value.metadata.name, verdict.value.spec.jobTemplate]];
  });
  return Object.fromEntries(found);
}

function judge(
  { resource, validate }: LintedKind,
  manifest: JsonObject,
  templates: KnownTemplates,
  policy: PodPolicy,
): Judgement {
  const strange = Object.keys(fieldsOf(fieldsOf(manifest['metadata'])['annotations']))
    .filter(isUnknownAnnotation)
    .map(annotationFault);
  const { faults, repaired } = everyFault(validate, manifest);
  const known = new Set(faults.map(({ path }) => path));
  const inTemplates = templateFaults(manifest).filter(({ path }) => !known.has(path));
  const own = [...faults, ...strange, ...inTemplates];
  if (!isObject(repaired)) return { errors: eachOnce(own), warnings: [] };
  const breaches =
    resource.kind === resources.AppWrapper.kind ? wrapperBreaches(repaired, policy) : undefined;
  const submission = workKinds.find((each) => each.resource.kind === resource.kind)?.submission;
  const submitted = breaches ?? judgeSubmission(submission, named(repaired), templates, policy);
  return { errors: eachOnce([...own, ...submitted.errors]), warnings: submitted.warnings };
}

function named(manifest: JsonObject): JsonObject {
  return asCreated(manifest as unknown as NewObject) as unknown as JsonObject;
}

/** Two parts of the object may report the same fault of one template. */
function eachOnce(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Map<string, string[]>();
  return faults.filter(({ path, message }) => {
    const known = seen.get(path) ?? [];
    seen.set(path, [...known, message]);
    return !known.includes(message);
  });
}

function judgeSubmission(
  submission: Submission | undefined,
  manifest: JsonObject,
  templates: KnownTemplates,
  policy: PodPolicy,
): Judgement {
  if (submission === undefined) return { errors: [], warnings: [] };
  const own = submission.faults(manifest);
  if (own.length > 0) return { errors: own, warnings: [] };
  const { children, faults } = submission.children(manifest, templates);
  const judged = children.map((child) => breachesBy(child, manifest, policy));
  const remarks = (submission.remarks?.(manifest) ?? []).map((remark) =>
    remarked(remark, manifest),
  );
  return {
    errors: [...faults, ...judged.flatMap(({ errors }) => errors)],
    warnings: [...judged.flatMap(({ warnings }) => warnings), ...remarks],
  };
}

function breachesBy(
  { of, job, comesOf = {} }: Child,
  manifest: JsonObject,
  policy: PodPolicy,
): Judgement {
  const found = breachesOf(fieldsOf(job.spec), policy).map((breach) => {
    const author = ownMember(comesOf, breach.path);
    const words = breachWords({ ...breach, ...author });
    const path = author?.path ?? authorPath(of, breach.path, manifest);
    // `words` begins with the path inside the Job.
    return { ...breach, fault: { path, message: `${of}: ${words}` } };
  });
  return bySeverity(found);
}

/** The path in the manifest for a path in the Job. */
function authorPath(of: string, path: string, { spec }: JsonObject): string {
  const { flows, jobTemplate } = fieldsOf(spec);
  if (flows === undefined)
    return jobTemplate === undefined ? `spec.${path}` : `spec.jobTemplate.${path}`;
  const index = stepIndex(of, flows);
  const step = `spec.flows[${index}]`;
  if (index < 0) return 'spec.flows';
  const isReferred = fieldsOf(listOf(flows)[index])['jobTemplateRef'] !== undefined;
  return isReferred ? `${step}.jobTemplateRef` : `${step}.jobTemplate.${path}`;
}

/** The index of `step "load"`. */
function stepIndex(of: string, flows: Json | undefined): number {
  const [, name] = /^step "([^"]*)"/.exec(of) ?? [];
  return listOf(flows).findIndex((step) => textOf(fieldsOf(step)['name']) === name);
}

/** A remark is a sentence that begins with a field or a step. */
function remarked(remark: string, manifest: JsonObject): Fault {
  const { flows } = fieldsOf(manifest['spec']);
  const index = stepIndex(remark, flows);
  if (index >= 0) return { path: `spec.flows[${index}]`, message: remark };
  const [, path = 'spec', message = remark] = /^(spec[^\s:]*): (.*)$/s.exec(remark) ?? [];
  return { path, message };
}

function componentFaults(manifest: Json): readonly Fault[] {
  const { components } = fieldsOf(fieldsOf(manifest)['spec']) as Partial<AppWrapperSpec>;
  return (components ?? []).flatMap((component, index) =>
    judgeComponent(component, `spec.components[${index}]`).errors.map(faultOf),
  );
}

/** A field error of the API begins with its path. */
function faultOf(error: string): Fault {
  const [, path = 'spec', message = error] = /^([\w.[\]]+): (.*)$/s.exec(error) ?? [];
  return { path, message };
}

function wrapperBreaches(manifest: JsonObject, policy: PodPolicy): Judgement {
  const components = listOf(fieldsOf(manifest['spec'])['components']);
  const found = components.flatMap((component, index) => {
    const template = fieldsOf(fieldsOf(component)['template']);
    return breachesIn(template, policy).map((breach) => {
      const path = `spec.components[${index}].template.${breach.path}`;
      return { ...breach, fault: { path, message: breachWords(breach) } };
    });
  });
  return bySeverity(found);
}

/** Whether the submitter may impersonate a service account is checked in the cluster only. */
function bySeverity(
  found: readonly (Pick<Breach, 'action' | 'rule'> & { readonly fault: Fault })[],
): Judgement {
  const isError = ({ action, rule }: Pick<Breach, 'action' | 'rule'>): boolean =>
    action === 'deny' && rule !== 'serviceAccount';
  return {
    errors: found.filter(isError).map(({ fault }) => fault),
    warnings: found.filter((each) => !isError(each)).map(({ fault }) => fault),
  };
}

function annotationFault(key: string): Fault {
  return { path: `metadata.annotations[${key}]`, message: unknownAnnotation(key) };
}

function isOfKind(manifest: Json, resource: Resource): boolean {
  const { apiVersion, kind } = fieldsOf(manifest);
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}

function calledOf(manifest: Json): string {
  const { kind, metadata } = fieldsOf(manifest);
  const { name, generateName } = fieldsOf(metadata);
  if (!isObject(manifest)) return 'text';
  if (textOf(kind) === '') return 'an object without a kind';
  return `${textOf(kind)}/${textOf(name) || textOf(generateName)}`;
}

/** Sorts by file, and by position within it. */
function byPlace(files: readonly string[]) {
  const order = new Map(files.map((file, index) => [file, index]));
  return (left: LintFinding, right: LintFinding): number =>
    (order.get(left.file) ?? 0) - (order.get(right.file) ?? 0) ||
    left.line - right.line ||
    left.column - right.column;
}
