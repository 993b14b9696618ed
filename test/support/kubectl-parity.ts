/**
 * Compares the output of the same kubectl commands on two servers, without the parts that always
 * differ.
 */
import type { Kubectl, KubectlOptions } from './control-plane/kubectl.ts';

/** Patterns of texts that differ between runs, with their replacements, in this order. */
const blanks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, 'TIME'],
  [/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]+ [+-]\d{4}/g, 'TIME'],
  [/\b(\d+m)?\d+s\b/g, 'AGE'],
  [/("?resourceVersion"?: )"\d+"/g, '$1RV'],
  // The API server prints its internal Go type.
  [/Invalid value: \{.*\}: /g, 'Invalid value: OBJECT: '],
  [/(Resource Version:\s+)\d+/g, '$1RV'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '$1'],
  [/\b(one|generated)-[a-z0-9]{5}\b/g, '$1-XXXXX'],
  [/[ \t]+/g, ' '],
];

export function blanked(text: string): string {
  return blanks.reduce((rest, [pattern, blank]) => rest.replace(pattern, blank), text);
}

/** Standard output, errors and exit code, with blanked timestamps and padding. */
export async function transcript(
  kubectl: Kubectl,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  const { stdout, stderr, code } = await kubectl(args, options);
  return blanked(`${stdout}${stderr}exit ${code}`);
}
