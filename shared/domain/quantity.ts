/**
 * A resource quantity as a number (apimachinery, resource.Quantity). Undefined: the text is not a
 * quantity.
 */
import { ownMember } from './own-member.ts';
export function parseQuantity(text: string | number): number | undefined {
  if (typeof text === 'number') return text;
  const match =
    /^([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)(?:[eE]([+-]?\d+)|(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, digits = '', exponent, suffix = ''] = match;
  const scale = exponent === undefined ? (ownMember(scales, suffix) ?? 1) : 10 ** Number(exponent);
  return Number(digits) * scale;
}

const scales: Readonly<Record<string, number>> = {
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
