/** Breaches of the CEL rules about `spec.globalParams`. */
import type { Fault } from './fault.ts';
import type { GlobalParams } from './global-params.ts';
import { isLabelValue, isQualifiedName } from './label-syntax.ts';
import { reservedKeyFault } from './pod-template-rules.ts';

export function globalParamsFaults({
  labels,
  annotations,
  env = [],
}: Pick<GlobalParams, 'labels' | 'annotations' | 'env'>): readonly Fault[] {
  return [
    ...keyFaults(labels ?? {}, 'spec.globalParams.labels'),
    ...keyFaults(annotations ?? {}, 'spec.globalParams.annotations'),
    ...Object.entries(labels ?? {})
      .filter(([, value]) => !isLabelValue(value))
      .map(([key, value]) => ({
        path: 'spec.globalParams.labels',
        message: `label "${key}": a value has at most 63 letters, digits, dashes, underscores and dots, and starts and ends with a letter or digit, found "${value}"`,
      })),
    ...env.flatMap(({ name, value, valueFrom }, index) =>
      valueFrom === undefined || value === undefined || value === ''
        ? []
        : [
            {
              path: `spec.globalParams.env[${index}]`,
              message: `${name}: set value or valueFrom, not both`,
            },
          ],
    ),
  ];
}

function keyFaults(map: Readonly<Record<string, string>>, path: string): readonly Fault[] {
  return Object.keys(map).flatMap((key) => [
    ...reservedKeyFault(key, path),
    ...(isQualifiedName(key)
      ? []
      : [{ path, message: `"${key}" is not a qualified name such as example.com/name` }]),
  ]);
}
