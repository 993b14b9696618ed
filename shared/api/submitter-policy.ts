/**
 * A ValidatingAdmissionPolicy that protects the submitter annotation. The API server enforces it even while no
 * webhook is called. A request that writes or changes the annotation must name exactly its own user, in the
 * form of `submitterText` in shared/domain/submitter.ts. A request may also leave it alone.
 */
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { workKinds } from './work/work-kinds.ts';

const submitted = workKinds.filter(({ isOurs }) => isOurs === true).map(({ resource }) => resource);

const name = 'submitters.millrace.dev';
const apiVersion = 'admissionregistration.k8s.io/v1';
const key = annotations.submitter;

/** Empty: the object has none. */
const writtenOn = (object: string): string =>
  `(has(${object}.metadata.annotations) && '${key}' in ${object}.metadata.annotations` +
  ` ? ${object}.metadata.annotations['${key}'] : '')`;

/** As JSON.stringify for the characters in names of users; other characters are refused. */
const quoted = (text: string): string =>
  String.raw`'"' + ${text}.replace('\\', '\\\\').replace('"', '\\"') + '"'`;
const listed = (list: string): string =>
  `'[' + ${list}.map(each, ${quoted('each')}).join(',') + ']'`;

const user = 'request.userInfo';
const has = (field: string): string => `has(${user}.${field}) && size(${user}.${field}) > 0`;

/** All fields except those that an authenticator adds: they are a map, and CEL gives it no order. */
const head =
  `'{"username":' + ${quoted(`${user}.username`)}` +
  ` + (${has('uid')} ? ',"uid":' + ${quoted(`${user}.uid`)} : '')` +
  ` + (${has('groups')} ? ',"groups":' + ${listed(`${user}.groups`)} : '')`;
const entry = `${quoted('name')} + ':' + ${listed(`${user}.extra[name]`)}`;
const beforeExtra = `head + ',"extra":{'`;
/** Every entry is contained, and the length leaves no space for anything else. */
const namesExtra =
  `text.startsWith(${beforeExtra}) && text.endsWith('}}')` +
  ` && ${user}.extra.all(name, text.contains(${entry}))` +
  ` && size(text) == size(${beforeExtra}) + ${user}.extra.map(name, size(${entry})).sum() + size(${user}.extra) + 1`;
const namesUser =
  `[${writtenOn('object')}].all(text, [${head}].all(head,` +
  ` ${has('extra')} ? ${namesExtra} : text == head + '}'))`;

/** Policy and binding. */
export function submitterPolicy(): readonly (NewObject & JsonObject)[] {
  const metadata = { name, labels: { 'app.kubernetes.io/part-of': 'millrace' } };
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: submitted.map(({ group, version, plural }) => ({
            apiGroups: [group],
            apiVersions: [version],
            operations: ['CREATE', 'UPDATE'],
            resources: [plural],
          })),
        },
        matchConditions: [
          {
            name: 'submitter-is-written',
            expression:
              `${writtenOn('object')} != ''` +
              ` && (oldObject == null || ${writtenOn('object')} != ${writtenOn('oldObject')})`,
          },
        ],
        validations: [
          {
            expression: namesUser,
            message: `metadata.annotations: ${key} names the submitter and is written by Millrace; leave it out`,
            reason: 'Forbidden',
          },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}
