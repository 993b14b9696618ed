/**
 * Who may write the annotation of the submitter, as a ValidatingAdmissionPolicy: the API server itself holds
 * it, also while no webhook is called. Where the annotation is written or changed it names exactly the user of
 * the request, as `submitterText` of shared/domain/submitter.ts writes it; a request without it writes nothing.
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

/** As JSON.stringify does it for what names of users hold; another one is refused. */
const quoted = (text: string): string =>
  String.raw`'"' + ${text}.replace('\\', '\\\\').replace('"', '\\"') + '"'`;
const listed = (list: string): string =>
  `'[' + ${list}.map(each, ${quoted('each')}).join(',') + ']'`;

const user = 'request.userInfo';
const has = (field: string): string => `has(${user}.${field}) && size(${user}.${field}) > 0`;

/** All but what an authenticator adds: that is a map, whose order CEL does not tell. */
const head =
  `'{"username":' + ${quoted(`${user}.username`)}` +
  ` + (${has('uid')} ? ',"uid":' + ${quoted(`${user}.uid`)} : '')` +
  ` + (${has('groups')} ? ',"groups":' + ${listed(`${user}.groups`)} : '')`;
const entry = `${quoted('name')} + ':' + ${listed(`${user}.extra[name]`)}`;
const beforeExtra = `head + ',"extra":{'`;
/** Every entry is in it and nothing else has room. */
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
