/** The annotation `kueue.x-k8s.io/admission-gated-by` (v0.19 util/webhook/validation_admissiongatedby.go). */
import { gatesAnnotation } from '#shared/domain/queue-labels.ts';
import {
  type FieldError,
  forbidden,
  invalid,
  subdomainFaults,
} from '#shared/domain/field-error.ts';

const path = `metadata.annotations[${gatesAnnotation}]`;
const longestGate = 63;
const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${pathFormat}$`);

/** Takes both values as they are written. Empty: there is none. */
export function changedGateErrors(before: string, after: string): readonly FieldError[] {
  const known = new Set(gatesIn(before));
  const isExtended = before !== '' && gatesIn(after).some((gate) => !known.has(gate));
  return [
    ...(before === '' && after !== ''
      ? [forbidden(path, 'cannot add admission gate after creation')]
      : []),
    ...(isExtended ? [forbidden(path, 'can only remove gates, not add new ones')] : []),
    ...gateErrors(after),
  ];
}

export function gateErrors(text: string): readonly FieldError[] {
  const seen = new Set<string>();
  return gatesIn(text).flatMap((gate) => {
    if (gate === '') return [invalid(path, text, 'cannot contain empty gate names')];
    if (seen.has(gate)) return [invalid(path, text, `duplicate gate name: ${gate}`)];
    seen.add(gate);
    return formatErrors(gate);
  });
}

function gatesIn(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(',').map((gate) => gate.trim());
}

/** validation.IsDomainPrefixedPath, as for spec.managedBy of a Job. */
function formatErrors(gate: string): readonly FieldError[] {
  const tooLong =
    gate.length > longestGate
      ? [`${path}: Too long: may not be more than ${longestGate} bytes`]
      : [];
  const [host = '', ...rest] = gate.split('/');
  const name = rest.join('/');
  if (host === '' || name === '') {
    const why = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return [invalid(path, gate, why), ...tooLong];
  }
  return [
    ...subdomainFaults(host).map((why) => invalid(path, host, why)),
    ...(httpPath.test(name)
      ? []
      : [invalid(path, name, `Invalid path (regex used for validation is '${pathFormat}')`)]),
    ...tooLong,
  ];
}
